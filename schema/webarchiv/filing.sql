-- SPDX-License-Identifier: MIT
-- Which doc is in which collection: what is published stands in doc.set_ids, what programs have changed since
-- then in webarchiv.refiling, until the publisher has come to it. webarchiv.doc_collection is a view of both,
-- which programs read and write as a table. A table with a key would take 148 bytes a doc.

-- If it was so already, returns false: nothing is published. A doc that another transaction could still
-- delete is locked until this one ends.
create or replace function webarchiv.refile(doc bigint, collection integer, into_it boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog as $$
begin
    perform webarchiv.check_ids('{}', '{}', '{}', array[collection]);
    perform from webarchiv.doc d where d.id = doc for key share;
    if not found then
        raise foreign_key_violation using message = format('there is no doc %s', doc);
    end if;
    insert into webarchiv.refiling as r (id_doc, id_collection, filed)
    select d.id, collection, into_it from webarchiv.doc d where d.id = doc
      and into_it <> coalesce((select p.filed from webarchiv.refiling p
                               where p.id_doc = d.id and p.id_collection = collection),
                              collection = any (d.set_ids))
    on conflict (id_doc, id_collection) do update set filed = excluded.filed where r.filed <> excluded.filed;
    if found then insert into oai.queue (id) values (doc); end if;
    return found;
end $$;

create or replace function webarchiv.write_filing() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare removed boolean := tg_op <> 'INSERT' and webarchiv.refile(old.id_doc, old.id_collection, false);
begin
    if tg_op = 'DELETE' then return case when removed then old end; end if;
    return case when webarchiv.refile(new.id_doc, new.id_collection, true) or removed then new end;
end $$;
create or replace trigger write_filing instead of insert or update or delete on webarchiv.doc_collection
    for each row execute function webarchiv.write_filing();

-- Files the docs of load_capture (loading.sql) that were known before and, if `fresh_ones`, those that the
-- caller has inserted. Notes which of the known ones have changed.
create or replace function webarchiv.file_staged(collections integer[], fresh_ones boolean) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare filed bigint[];
begin
    perform oai.check_load_tables();
    perform webarchiv.check_ids('{}', '{}', '{}', collections);
    perform from webarchiv.doc d
    where d.id in (select s.id from pg_temp.load_capture s where not s.fresh) for key share;
    with put as (insert into webarchiv.refiling as r select d.id, c, true
        from (select distinct s.id from pg_temp.load_capture s where not s.fresh or fresh_ones) w
        join webarchiv.doc d on d.id = w.id and not d.deleted, (select distinct unnest(collections)) x(c)
        where not coalesce((select r.filed from webarchiv.refiling r
                            where r.id_doc = d.id and r.id_collection = c), c = any (d.set_ids))
        order by 1, 2
        on conflict (id_doc, id_collection) do update set filed = true where not r.filed
        returning r.id_doc)
    select array_agg(distinct p.id_doc) into filed from put p;
    insert into oai.queue (id)
    select f.id from unnest(filed) f(id)
    where not exists (select from oai.queue q where q.id = f.id and q.xmin = pg_current_xact_id()::xid);
    update pg_temp.load_capture s set changed = true from unnest(filed) f(id)
    where not s.fresh and s.id = f.id;
end $$;

-- What is published is no longer kept aside. A row that another transaction is changing stays, and its doc is
-- queued by it.
create or replace function webarchiv.end_refiling() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if exists (select from webarchiv.refiling) and oai.is_publishing() then
        delete from webarchiv.refiling f where f.ctid = any (array(
            select r.ctid from webarchiv.refiling r join changed c on c.id = r.id_doc
            where r.filed = (r.id_collection = any (c.set_ids)) for update of r skip locked));
    end if;
    return null;
end $$;
create or replace trigger end_refiling after update on webarchiv.doc referencing new table as changed
    for each statement execute function webarchiv.end_refiling();

-- A deleted record keeps the sets that it was published in.
select oai.remove_with('remove_refiling', 'webarchiv.refiling', 'id_doc', 'webarchiv.doc');
