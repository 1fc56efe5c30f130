-- SPDX-License-Identifier: MIT
-- Which doc is in which collection, without a row for each: what is published stands in doc.set_ids anyway, and what programs
-- have changed since then is kept in webarchiv.refiling, until the publisher has come to it. webarchiv.doc_collection, which was
-- a table with a key, 148 bytes a doc, is a view of both, which programs read and write as before. And the index for look-ups has
-- no more of a digest than it needs to tell captures of one second apart, which takes another 20 bytes.

-- The table goes when everybody has left it. Those of its rows stay that the publisher does not have yet.
lock table webarchiv.doc_collection in access exclusive mode;
create table webarchiv.refiling (
    id_doc        bigint not null,
    id_collection integer not null,
    filed         boolean not null,                 -- false: the doc was taken out of the collection
    queued        boolean not null default false,   -- false only within the statement that has written the row
    primary key (id_doc, id_collection)
);
create index refiling_unqueued on webarchiv.refiling (id_doc) where not queued;
with pending as materialized (
    select q.id from oai.queue q union select d.id from webarchiv.doc d where d.seq is null)
insert into webarchiv.refiling
select c.id_doc, c.id_collection, true, true
from pending p join webarchiv.doc_collection c on c.id_doc = p.id join webarchiv.doc d on d.id = p.id
where c.id_collection <> all (d.set_ids)
union
select d.id, s.id, false, true
from pending p join webarchiv.doc d on d.id = p.id and not d.deleted, unnest(d.set_ids) s(id)
where s.id in (select n.id from webarchiv.collection n)
  and not exists (select from webarchiv.doc_collection c where c.id_doc = d.id and c.id_collection = s.id);

create or replace view oai.membership as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted, d.set_ids,
           array_remove(array[d.id_domain, d.id_mimetype], null)
           || case when exists (select from webarchiv.refiling r where r.id_doc = d.id)
                   then array(select s.id from unnest(d.set_ids) s(id)
                              where exists (select from webarchiv.collection n where n.id = s.id)
                                and not exists (select from webarchiv.refiling r
                                                where r.id_doc = d.id and r.id_collection = s.id and not r.filed)
                              union
                              select r.id_collection from webarchiv.refiling r where r.id_doc = d.id and r.filed
                              order by 1)
                   else array(select s.id from unnest(d.set_ids) s(id)   -- most docs, in half the time
                              where exists (select from webarchiv.collection n where n.id = s.id) order by 1) end as sets_now
    from webarchiv.doc d;

set local client_min_messages = warning;   -- Suppresses a notice for the triggers that go with them.
drop table webarchiv.doc_collection;
drop function webarchiv.doc_collection_check_filed(), webarchiv.doc_collection_remove_deleted() cascade;
set local client_min_messages to default;

create view webarchiv.doc_collection as
    select d.id as id_doc, s.id as id_collection
    from webarchiv.doc d, unnest(d.set_ids) s(id)
    where not d.deleted and exists (select from webarchiv.collection n where n.id = s.id)
      and not exists (select from webarchiv.refiling r where r.id_doc = d.id and r.id_collection = s.id)
    union all
    select r.id_doc, r.id_collection from webarchiv.refiling r where r.filed;

-- Puts a doc into a collection or takes it out. Returns false if it was so already: nothing is published then.
create function webarchiv.refile(doc bigint, collection integer, into_it boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog as $$
begin
    insert into webarchiv.refiling as r (id_doc, id_collection, filed)
    select d.id, collection, into_it from webarchiv.doc d
    where d.id = doc
      and into_it <> coalesce((select p.filed from webarchiv.refiling p where p.id_doc = d.id and p.id_collection = collection),
                              collection = any (d.set_ids))
    on conflict (id_doc, id_collection) do update set filed = excluded.filed, queued = false where r.filed <> excluded.filed;
    if not found and not exists (select from webarchiv.doc d where d.id = doc) then
        raise foreign_key_violation using message = format('webarchiv.doc_collection: there is no doc %s', doc);
    end if;
    return found;
end $$;

create function webarchiv.write_filing() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
    removed boolean := tg_op <> 'INSERT' and webarchiv.refile(old.id_doc, old.id_collection, false);
begin
    if tg_op = 'DELETE' then
        return case when removed then old end;
    end if;
    return case when webarchiv.refile(new.id_doc, new.id_collection, true) or removed then new end;
end $$;
create trigger write_filing instead of insert or update or delete on webarchiv.doc_collection
    for each row execute function webarchiv.write_filing();

-- Checks and queues, for all rows of a statement at once. A doc that another transaction could still delete is locked until this
-- one ends; names of collections are never removed.
create function webarchiv.queue_refiled() returns trigger
language plpgsql security definer set search_path = pg_catalog set enable_seqscan = off as $$
declare
    docs        bigint[];
    collections integer[];
    missing     bigint;
begin
    with written as (update webarchiv.refiling r set queued = true where not r.queued returning r.id_doc, r.id_collection)
    select array_agg(distinct w.id_doc), array_agg(distinct w.id_collection) into docs, collections from written w;
    if docs is null then
        return null;
    end if;
    select c into missing from unnest(collections) c where not exists (select from webarchiv.collection n where n.id = c) limit 1;
    if found then
        raise foreign_key_violation using message = format('webarchiv.doc_collection: there is no collection %s', missing);
    end if;
    perform from webarchiv.doc d join unnest(docs) w(id) on w.id = d.id where d.xmin <> pg_current_xact_id()::xid for key share of d;
    select w.id into missing from unnest(docs) w(id) where not exists (select from webarchiv.doc d where d.id = w.id) limit 1;
    if found then
        raise foreign_key_violation using message = format('webarchiv.doc_collection: there is no doc %s', missing);
    end if;
    insert into oai.queue (id) select w.id from unnest(docs) w(id);
    return null;
end $$;
create trigger queue_refiled after insert or update or delete on webarchiv.doc_collection
    for each statement execute function webarchiv.queue_refiled();

-- The same for the docs of load_capture (106-webarchiv-loading.sql) at once: for those that were known before and, if
-- `fresh_ones`, for those that the caller has inserted. Notes which of the known ones have changed.
create function webarchiv.file_staged(collections integer[], fresh_ones boolean) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    filed bigint[];
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    if exists (select from unnest(collections) c where not exists (select from webarchiv.collection n where n.id = c)) then
        raise foreign_key_violation using message = 'webarchiv.doc_collection: there is no such collection';
    end if;
    perform from webarchiv.doc d where d.id in (select s.id from pg_temp.load_capture s where not s.fresh) for key share;
    with put as (
        insert into webarchiv.refiling as r
        select d.id, c, true, true
        from (select distinct s.id from pg_temp.load_capture s where not s.fresh or fresh_ones) w
        join webarchiv.doc d on d.id = w.id and not d.deleted, (select distinct unnest(collections)) x(c)
        where not coalesce((select r.filed from webarchiv.refiling r where r.id_doc = d.id and r.id_collection = c), c = any (d.set_ids))
        order by 1, 2
        on conflict (id_doc, id_collection) do update set filed = true where not r.filed
        returning r.id_doc)
    select array_agg(distinct p.id_doc) into filed from put p;
    insert into oai.queue (id)
    select f.id from unnest(filed) f(id)
    where not exists (select from oai.queue q where q.id = f.id and q.xmin = pg_current_xact_id()::xid);
    update pg_temp.load_capture s set changed = true from unnest(filed) f(id) where not s.fresh and s.id = f.id;
end $$;

-- What is published is no longer kept aside. A row that another transaction is changing stays, and its doc is queued by it.
create function webarchiv.end_refiling() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    if exists (select from webarchiv.refiling) and oai.is_publishing() then
        delete from webarchiv.refiling f
        where f.ctid = any (array(
            select r.ctid from webarchiv.refiling r join changed c on c.id = r.id_doc
            where r.filed = (r.id_collection = any (c.set_ids)) for update of r skip locked));
    end if;
    return null;
end $$;
create trigger end_refiling after update on webarchiv.doc referencing new table as changed
    for each statement execute function webarchiv.end_refiling();

-- A deleted record keeps the sets that it was published in.
create function webarchiv.remove_refiling() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    delete from webarchiv.refiling r using was w where r.id_doc = w.id;
    return null;
end $$;
create trigger remove_refiling after delete on webarchiv.doc referencing old table as was
    for each statement execute function webarchiv.remove_refiling();

-- Seven characters of a digest fit where PostgreSQL aligns the row of the index in any case. The last ones, since some digests
-- begin with the name of their algorithm.
create unique index if not exists doc_moment on webarchiv.doc (surt, archived_time, right(digest, 7));
drop index webarchiv.doc_capture;

-- As in 106-webarchiv-loading.sql; collections stand in set_ids.
drop function webarchiv.publish_slice(integer[]);
create function webarchiv.publish_slice(out turn text, out milliseconds bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    records  constant bigint := (select count(*) from pg_temp.load_doc);
    setting  constant text := coalesce(current_setting('oai.publisher', true), '');
    slice    record;
    began    timestamptz;
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    select * into slice from oai.begin_loaded_slice(records);
    turn := slice.turn;
    if turn is not null then
        return;
    end if;
    began := clock_timestamp();
    perform set_config('oai.publisher', 'on', true), set_config('jit', 'off', true), set_config('random_page_cost', '1.1', true),
        set_config('work_mem', '64MB', true), set_config('lock_timeout', '100ms', true),
        set_config('idle_in_transaction_session_timeout', '5s', true);
    -- The index does not find a capture with a digest that others have loaded without it, or the other way round.
    if exists (select from webarchiv.doc d join pg_temp.load_doc l on l.surt = d.surt and l.archived_time = d.archived_time
               where d.seq > (select s.last_seq from pg_temp.load_horizon s) and d.seq <= (slice.before).last_seq
                 and (l.digest = d.digest
                      or ((l.digest is null or d.digest is null)
                          and l.id_arc is not distinct from d.id_arc and l.doc_offset is not distinct from d.doc_offset))) then
        raise serialization_failure using message = 'another loader has published one of the captures';
    end if;
    begin   -- ON CONFLICT would look up each row in three indexes first
        insert into webarchiv.doc (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
                                   url, surt, digest, set_ids)
        select l.id, slice.last + l.place, slice.t, l.archived_time, l.doc_offset, l.length, l.id_arc, l.id_domain, l.id_mimetype,
               l.status, l.url, l.surt, l.digest, l.set_ids
        from pg_temp.load_doc l;
    exception when unique_violation then
        raise serialization_failure using message = 'another program has inserted one of the captures';
    end;
    if oai.has_requirements() then
        insert into pg_temp.slice (id, datestamp, kept, new_seq, old_sets, new_sets)
        select l.id, slice.t, false, slice.last + l.place, '{}', l.set_ids from pg_temp.load_doc l;
    end if;
    perform oai.end_loaded_slice(slice.before, slice.t, slice.last, records);
    perform set_config('oai.publisher', setting, true);
    milliseconds := 1000 * extract(epoch from clock_timestamp() - began);
end $$;

grant select, insert, update, delete on webarchiv.doc_collection to oai_loader;
revoke execute on function webarchiv.refile, webarchiv.write_filing, webarchiv.queue_refiled, webarchiv.file_staged,
    webarchiv.end_refiling, webarchiv.remove_refiling, webarchiv.publish_slice from public;
grant execute on function webarchiv.file_staged, webarchiv.publish_slice to oai_loader;
