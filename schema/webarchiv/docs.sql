-- SPDX-License-Identifier: MIT
-- What schema oai asks of a model (core/roles.sql), and the triggers of tables that any program may write.

create or replace view oai.item as
    select id, seq, id::text as local_id, datestamp, deleted or hidden as deleted, set_ids from webarchiv.doc;

create or replace view webarchiv.doc_collection as   -- filing.sql
    select d.id as id_doc, s.id as id_collection
    from webarchiv.doc d, unnest(d.set_ids) s(id)
    where not d.deleted and exists (select from webarchiv.collection n where n.id = s.id)
      and not exists (select from webarchiv.refiling r where r.id_doc = d.id and r.id_collection = s.id)
    union all
    select r.id_doc, r.id_collection from webarchiv.refiling r where r.filed;
comment on view webarchiv.doc_collection is 'Which capture is in which collection; written like a table.';
comment on column webarchiv.doc_collection.id_doc is 'Of webarchiv.doc.';
comment on column webarchiv.doc_collection.id_collection is 'Of webarchiv.collection.';

-- Most docs have no row in refiling: their sets are looked up in a hash of all collections, which a query
-- makes once; "is true" keeps PostgreSQL from making a join of it for each doc.
create or replace view oai.membership as select d.id, d.seq, d.id::text as local_id, d.datestamp,
           case when d.seq is not null or not d.hidden then d.deleted or d.hidden end as deleted, d.set_ids,
           array_remove(array[d.id_domain, d.id_mimetype], null)
           || case when exists (select from webarchiv.refiling r where r.id_doc = d.id)
                   then array(select s.id from unnest(d.set_ids) s(id)
                              where exists (select from webarchiv.collection n where n.id = s.id)
                                and not exists (select from webarchiv.refiling r
                                                where r.id_doc = d.id and r.id_collection = s.id
                                                    and not r.filed)
                              union
                              select r.id_collection from webarchiv.refiling r
                              where r.id_doc = d.id and r.filed order by 1)
                   else array(select s.id from unnest(d.set_ids) s(id)
                              where (s.id in (select n.id from webarchiv.collection n)) is true
                              order by 1) end as sets_now
    from webarchiv.doc d;

-- Names are given as numbers (oai.dictionary), since a page would otherwise have to look up 400 names.
create or replace view oai.record as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted or d.hidden as deleted, d.set_ids,
           d.url, d.archived_time, d.id_mimetype as mimetype_id, d.status, d.digest, d.length,
           -d.id_arc as arc_id, d.doc_offset as arc_offset, d.surt, d.id_domain as domain_id,
               d.set_ids as collections_id,
           d.title, d.language, d.description, d.hidden_why
    from webarchiv.doc d;

-- The three trees share the numbers of oai.set; files have their own, which are shown below zero.
create or replace view oai.dictionary as select id, 'domain' as kind, title as name from webarchiv.domain
    union all select id, 'mimetype', title from webarchiv.mimetype
    union all select id, 'collections', title from webarchiv.collection
    union all select -id, 'arc', file from webarchiv.arc;

-- Accepts an identifier only as it was given out: without a sign or leading zeros.
create or replace function oai.find_item(local_id text) returns bigint language sql immutable as $$
    select case when local_id ~ '^[1-9][0-9]{0,17}$' then local_id::bigint end
$$;

create or replace view oai.item_row as
    select id, seq, deleted, hidden, set_ids, visible_until, hidden_why from webarchiv.doc;

create or replace view oai.set_place as select id, 'dom:' || name as spec from webarchiv.domain
    union all select id, 'mim:' || name from webarchiv.mimetype
    union all select id, 'col:' || name from webarchiv.collection;

-- What readers, who have no rights in schema webarchiv, may know of a doc when they look up addresses; and
-- whether anybody may see that there is such a capture, which is said here alone.
create or replace view oai.capture as   --- What is shown of a capture when addresses are looked up.
    select d.id, d.surt, d.archived_time, d.url, d.id_mimetype, d.status, d.digest, d.length, d.id_arc,
        d.doc_offset, d.request, d.revisit, d.seq is not null and not d.deleted and not d.hidden as shown
    from webarchiv.doc d;

-- cz:webarchiv:www -> www.webarchiv.cz; ip:192.0.2.1 -> 192.0.2.1; image:svg~2Bxml -> image/svg+xml
create or replace function webarchiv.title_of(tree text, name text) returns text language sql immutable as $$
    select case
        when tree = 'dom' and name like 'ip:%' then substr(name, 4)
        when tree = 'dom' then (select string_agg(l, '.' order by o desc)
                                from regexp_split_to_table(name, ':') with ordinality s(l, o))
        when tree = 'mim' then (
            select replace(string_agg(case when o = 1 then l
                else chr(('x' || left(l, 2))::bit(8)::integer) || substr(l, 3) end, '' order by o), ':', '/')
            from regexp_split_to_table(name, '~(?=[2-7][0-9A-F])') with ordinality s(l, o))
        else name end
$$;

-- For many rows at once: a foreign key would check row by row.
create or replace function webarchiv.check_ids(arcs integer[], domains integer[], mimetypes integer[],
    collections integer[]) returns void language plpgsql as $$
declare missing record;
begin
    select x.name, x.id into missing
    from (select 'arc' as name, u.id from unnest(arcs) u(id)
          where not exists (select from webarchiv.arc n where n.id = u.id)
          union all
          select 'domain', u.id from unnest(domains) u(id)
          where not exists (select from webarchiv.domain n where n.id = u.id)
          union all
          select 'mimetype', u.id from unnest(mimetypes) u(id)
          where not exists (select from webarchiv.mimetype n where n.id = u.id)
          union all
          select 'collection', u.id from unnest(collections) u(id)
          where not exists (select from webarchiv.collection n where n.id = u.id)) x where x.id is not null;
    if found then
        raise foreign_key_violation using message = format('there is no %s %s', missing.name, missing.id);
    end if;
end $$;

-- The publisher's updates are not checked, because it changes none of these columns.
create or replace function webarchiv.check_names() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        perform webarchiv.check_ids(array(select distinct c.id_arc from changed c),
            array(select distinct c.id_domain from changed c),
            array(select distinct c.id_mimetype from changed c), '{}');
    end if;
    return null;
end $$;
create or replace trigger check_names_of_inserted after insert on webarchiv.doc
    referencing new table as changed
    for each statement execute function webarchiv.check_names();
create or replace trigger check_names_of_updated after update on webarchiv.doc
    referencing new table as changed
    for each statement execute function webarchiv.check_names();

select oai.track_items('webarchiv.doc');
select oai.track_dates('webarchiv.doc');
select oai.track_names('webarchiv.domain', 'dom', 'webarchiv.title_of');
select oai.track_names('webarchiv.mimetype', 'mim', 'webarchiv.title_of');
select oai.track_names('webarchiv.collection', 'col', 'webarchiv.title_of');
select oai.protect_names('webarchiv.arc');
