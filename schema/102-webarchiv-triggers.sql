-- SPDX-License-Identifier: MIT
-- Puts the ids of docs into the publisher's queue when other programs change model webarchiv, whatever statement they
-- use. The functions run with the rights of their owner, so that writers need no rights in schema oai.

-- 'cz:webarchiv:www' -> 'www.webarchiv.cz'; 'ip:192.0.2.1' -> '192.0.2.1'; 'image:svg~2Bxml' -> 'image/svg+xml'
create function webarchiv.title_of(tree text, name text) returns text language plpgsql immutable as $$
declare
    plain text := name;
    code  text;
begin
    if tree = 'dom' then
        return case when name like 'ip:%' then substr(name, 4)
                    else (select string_agg(label, '.' order by o desc)
                          from unnest(string_to_array(name, ':')) with ordinality l(label, o)) end;
    elsif tree = 'mim' then
        for code in select distinct m[1] from regexp_matches(name, '~([2-7][0-9A-F])', 'g') m loop
            plain := replace(plain, '~' || code, chr(('x' || code)::bit(8)::integer));
        end loop;
        return replace(plain, ':', '/');
    end if;
    return name;
end $$;

-- The root sets of the three trees; every name lies below one of them.
insert into oai.set (parent, spec, name) values
    (null, 'dom', 'Domains'), (null, 'mim', 'Media types'), (null, 'col', 'Collections');

-- Inserting a name into a tree also makes its set and its ancestors. Two programs may insert the same name at the same
-- time.
create function webarchiv.place_name() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    tree  text := tg_argv[0];
    above text := regexp_replace(new.name, ':?[^:]*$', '');
    set_above integer;
begin
    if new.name is null then
        return new;   -- The constraint NOT NULL then rejects the row.
    end if;
    new.title := coalesce(new.title, webarchiv.title_of(tree, new.name));
    new.parent := null;
    if above = '' then
        select id into set_above from oai.set where spec = tree;
    else
        select id into set_above from oai.set where spec = tree || ':' || above;
        if set_above is null then
            execute format('insert into webarchiv.%I (name) values ($1) on conflict (name) do nothing', tg_table_name)
                using above;
            select id into set_above from oai.set where spec = tree || ':' || above;
        end if;
        new.parent := set_above;
    end if;
    insert into oai.set (parent, spec, name) values (set_above, tree || ':' || new.name, new.title)
        on conflict (spec) do nothing;
    select id into new.id from oai.set where spec = tree || ':' || new.name;
    return new;
end $$;
create trigger place_name before insert on webarchiv.domain for each row execute function webarchiv.place_name('dom');
create trigger place_name before insert on webarchiv.mimetype for each row execute function webarchiv.place_name('mim');
create trigger place_name before insert on webarchiv.collection for each row execute function webarchiv.place_name('col');

-- Names are shown in records that harvesters already have. And because names are permanent, a transaction that has
-- seen one may rely on it.
create function webarchiv.refuse_renaming() returns trigger language plpgsql as $$
begin
    raise exception '%.%: a row cannot be renamed, since records that carry its name are already given out', tg_table_schema,
        tg_table_name using hint = 'Insert a row with the new name and let the docs refer to it.';
end $$;
create trigger refuse_renaming before update on webarchiv.domain for each row
    when (old.* is distinct from new.*) execute function webarchiv.refuse_renaming();
create trigger refuse_renaming before update on webarchiv.mimetype for each row
    when (old.* is distinct from new.*) execute function webarchiv.refuse_renaming();
create trigger refuse_renaming before update on webarchiv.collection for each row
    when (old.* is distinct from new.*) execute function webarchiv.refuse_renaming();
create trigger refuse_renaming before update on webarchiv.arc for each row
    when (old.* is distinct from new.*) execute function webarchiv.refuse_renaming();

create function webarchiv.refuse_unnaming() returns trigger language plpgsql as $$
begin
    raise exception 'rows of %.% are not deleted, since records that carry their names are already given out',
        tg_table_schema, tg_table_name using hint = 'An unused name does no harm.';
end $$;
create trigger refuse_unnaming before delete or truncate on webarchiv.domain for each statement execute function webarchiv.refuse_unnaming();
create trigger refuse_unnaming before delete or truncate on webarchiv.mimetype for each statement execute function webarchiv.refuse_unnaming();
create trigger refuse_unnaming before delete or truncate on webarchiv.collection for each statement execute function webarchiv.refuse_unnaming();
create trigger refuse_unnaming before delete or truncate on webarchiv.arc for each statement execute function webarchiv.refuse_unnaming();

-- Checks for all rows of a statement at once what foreign keys would check row by row. The publisher's updates are not
-- checked, because it changes none of these columns.
create function webarchiv.check_names() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    missing record;
begin
    if current_setting('oai.publisher', true) = 'on' then
        return null;
    end if;
    select x.name_table, x.id into missing
    from (select 'arc' as name_table, c.id from (select distinct id_arc as id from changed) c
          where not exists (select from webarchiv.arc n where n.id = c.id)
          union all
          select 'domain', c.id from (select distinct id_domain as id from changed) c
          where not exists (select from webarchiv.domain n where n.id = c.id)
          union all
          select 'mimetype', c.id from (select distinct id_mimetype as id from changed) c
          where not exists (select from webarchiv.mimetype n where n.id = c.id)) x
    where x.id is not null;
    if found then
        raise foreign_key_violation using
            message = format('webarchiv.doc: there is no row %s in webarchiv.%s', missing.id, missing.name_table);
    end if;
    return null;
end $$;
create trigger check_names_of_inserted after insert on webarchiv.doc referencing new table as changed
    for each statement execute function webarchiv.check_names();
create trigger check_names_of_updated after update on webarchiv.doc referencing new table as changed
    for each statement execute function webarchiv.check_names();

-- The same for putting docs into collections. A doc that another transaction could still delete is locked until this
-- transaction ends; docs that this transaction has inserted itself, as a loader does, need no lock.
create function webarchiv.check_filed() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    own        xid := pg_current_xact_id()::xid;
    strange    bigint[] := array(select c.id_doc from (select distinct id_doc from changed) c
                                 where not exists (select from webarchiv.doc d where d.id = c.id_doc and d.xmin = own));
    doc        bigint;
    collection integer;
begin
    if cardinality(strange) > 0 then
        perform from webarchiv.doc d where d.id = any (strange) for key share;
        select s.id into doc from unnest(strange) s(id)
        where not exists (select from webarchiv.doc d where d.id = s.id) limit 1;
    end if;
    select c.id into collection from (select distinct id_collection as id from changed) c
    where not exists (select from webarchiv.collection n where n.id = c.id) limit 1;
    if doc is not null or collection is not null then
        raise foreign_key_violation using message = format('webarchiv.doc_collection: there is no %s %s',
            case when doc is null then 'collection' else 'doc' end, coalesce(doc, collection));
    end if;
    return null;
end $$;
create trigger check_filed after insert on webarchiv.doc_collection referencing new table as changed
    for each statement execute function webarchiv.check_filed();
create trigger check_refiled after update on webarchiv.doc_collection referencing new table as changed
    for each statement execute function webarchiv.check_filed();

create function webarchiv.queue_inserted() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id) select id from changed;
    return null;
end $$;
create trigger queue_inserted after insert on webarchiv.doc referencing new table as changed
    for each statement execute function webarchiv.queue_inserted();

-- The publisher's own UPDATE is not a change; it is told by a setting, because triggers with transition tables cannot
-- be restricted to some columns.
create function webarchiv.queue_updated() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    if current_setting('oai.publisher', true) is distinct from 'on' then
        insert into oai.queue (id)
        select n.id from was w join changed n using (id) where w is distinct from n;
    end if;
    return null;
end $$;
create trigger queue_updated after update on webarchiv.doc referencing old table as was new table as changed
    for each statement execute function webarchiv.queue_updated();

-- DELETE leaves a tombstone of each doc that was published. Those that were never published are simply gone, and so
-- are tombstones that are purged (005-deletion.sql). In either case the doc is removed from its collections.
create function webarchiv.keep_tombstone() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into webarchiv.doc (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype,
                               status, deleted, properties, url, surt, digest, set_ids)
    select id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype,
           status, true, properties, url, surt, digest, set_ids
    from gone where seq is not null and current_setting('oai.publisher', true) is distinct from 'on';
    delete from webarchiv.doc_collection c using gone g where c.id_doc = g.id;
    return null;
end $$;
create trigger keep_tombstone after delete on webarchiv.doc referencing old table as gone
    for each statement execute function webarchiv.keep_tombstone();

create function webarchiv.refuse_truncate() returns trigger language plpgsql as $$
begin
    raise exception 'TRUNCATE of %.% would hide from harvesters what is gone', tg_table_schema, tg_table_name
        using hint = 'Use DELETE, which leaves tombstones.';
end $$;
create trigger refuse_truncate before truncate on webarchiv.doc
    for each statement execute function webarchiv.refuse_truncate();
create trigger refuse_truncate before truncate on webarchiv.doc_collection
    for each statement execute function webarchiv.refuse_truncate();

create function webarchiv.queue_filed() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id)
    select distinct c.id_doc from changed c   -- except docs that this transaction has queued before
    where not exists (select from oai.queue q where q.id = c.id_doc and q.xmin = pg_current_xact_id()::xid);
    return null;
end $$;
create trigger queue_filed after insert on webarchiv.doc_collection referencing new table as changed
    for each statement execute function webarchiv.queue_filed();
create trigger queue_unfiled after delete on webarchiv.doc_collection referencing old table as changed
    for each statement execute function webarchiv.queue_filed();

create function webarchiv.queue_refiled() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id) select id_doc from was union select id_doc from changed;
    return null;
end $$;
create trigger queue_refiled after update on webarchiv.doc_collection
    referencing old table as was new table as changed
    for each statement execute function webarchiv.queue_refiled();

grant select on oai.item, oai.record, oai.dictionary to oai_reader;
grant execute on function oai.find_item to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant usage on schema webarchiv to oai_loader;
grant select, insert, update, delete on all tables in schema webarchiv to oai_loader;
grant usage on all sequences in schema webarchiv to oai_loader;
