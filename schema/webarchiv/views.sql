-- SPDX-License-Identifier: MIT

-- The contract (001-contract.sql).
create or replace view oai.item as
    select id, seq, id::text as local_id, datestamp, deleted, set_ids from webarchiv.doc;

create or replace view webarchiv.doc_collection as
    select d.id as id_doc, s.id as id_collection
    from webarchiv.doc d, unnest(d.set_ids) s(id)
    where not d.deleted and exists (select from webarchiv.collection n where n.id = s.id)
      and not exists (select from webarchiv.refiling r where r.id_doc = d.id and r.id_collection = s.id)
    union all
    select r.id_doc, r.id_collection from webarchiv.refiling r where r.filed;

-- The view of 108-webarchiv-filing.sql, at a tenth of its cost where there are hundreds of collections: a
-- doc's sets are looked up in a hash of all of them, which a query makes once. "is true" keeps PostgreSQL
-- from making a join of it for each doc.
create or replace view oai.membership as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted, d.set_ids,
           array_remove(array[d.id_domain, d.id_mimetype], null)
           || case when exists (select from webarchiv.refiling r where r.id_doc = d.id)
                   then array(select s.id from unnest(d.set_ids) s(id)
                              where exists (select from webarchiv.collection n where n.id = s.id)
                                and not exists (select from webarchiv.refiling r
                                                where r.id_doc = d.id and r.id_collection = s.id
                                                    and not r.filed)
                              union
                              select r.id_collection from webarchiv.refiling r
                              where r.id_doc = d.id and r.filed
                              order by 1)
                   else array(select s.id from unnest(d.set_ids) s(id)
                              where (s.id in (select n.id from webarchiv.collection n)) is true
                              order by 1) end as sets_now
    from webarchiv.doc d;

-- Names are given as numbers (oai.dictionary), since a page would otherwise have to look up 400 names.
-- set_ids holds collections among others.
create or replace view oai.record as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted, d.set_ids,
           d.url, d.archived_time, d.id_mimetype as mimetype_id, d.status, d.digest, d.length,
               -d.id_arc as arc_id,
           d.doc_offset as arc_offset, d.surt, d.id_domain as domain_id, d.set_ids as collections_id,
           d.title, d.language, d.description
    from webarchiv.doc d;

-- The three trees share the numbers of oai.set; files have their own, which are shown below zero.
create or replace view oai.dictionary as
    select id, 'domain' as kind, title as name from webarchiv.domain
    union all select id, 'mimetype', title from webarchiv.mimetype
    union all select id, 'collections', title from webarchiv.collection
    union all select -id, 'arc', file from webarchiv.arc;

-- Accepts an identifier only as it was given out: without a sign or leading zeros.
create or replace function oai.find_item(local_id text) returns bigint language sql immutable as $$
    select case when local_id ~ '^[1-9][0-9]{0,17}$' then local_id::bigint end
$$;

-- The functions that 005-deletion.sql requires of a model.
create or replace function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql as $$
    update webarchiv.doc set deleted = mark where id = any (ids) and deleted <> mark returning id
$$;

create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $$
    delete from webarchiv.doc where id = any (ids) and deleted
$$;

-- What the setSpecs of named sets must be, for oai.check_sets().
create or replace view oai.set_place as
    select id, 'dom:' || name as spec from webarchiv.domain
    union all select id, 'mim:' || name from webarchiv.mimetype
    union all select id, 'col:' || name from webarchiv.collection;

-- What readers, who have no rights in schema webarchiv, may know of a doc for that.
create or replace view oai.capture as
    select d.id, d.seq, d.deleted, d.surt, d.archived_time, d.url, d.id_mimetype, d.status, d.digest,
        d.length, d.id_arc, d.doc_offset
    from webarchiv.doc d;
