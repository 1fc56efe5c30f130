-- SPDX-License-Identifier: MIT
-- The first fill of model webarchiv by `oai load`. Files are read into unlogged tables, each in a transaction of its own, so that
-- a fill that was broken off goes on with the next file. Then everything is written in one transaction, in the order of numbers:
-- without indexes, which are made at the end, without triggers, and published. Nobody sees anything of it before that ends.
-- The functions are executed by oai_loader, and work in an empty repository only.

-- Has a row while the tables stand open to the loader: a transaction cannot end in that state.
create table webarchiv.fill_open (single boolean primary key default true check (single));
create function webarchiv.refuse_open_fill() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if exists (select from webarchiv.fill_open) then
        raise exception 'a first fill was not ended';
    end if;
    return null;
end $$;
create constraint trigger refuse_open_fill after insert on webarchiv.fill_open deferrable initially deferred
    for each row execute function webarchiv.refuse_open_fill();

create function webarchiv.is_unfilled() returns boolean language sql stable as $$
    select not exists (select from webarchiv.doc) and not exists (select from oai.queue)
           and (select o.last_seq = 0 and coalesce(o.place = oai.place(), true) from oai.horizon o)
$$;

-- Makes the tables that files are read into. Returns false if the repository is not empty; otherwise how many files were read
-- before, and the number of their captures. lost: a fill was begun before, but none was read to its end, or the database has
-- crashed since.
create function webarchiv.begin_fill(out is_empty boolean, out files bigint, out captures bigint, out lost boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    is_empty := webarchiv.is_unfilled();
    lost := to_regclass('webarchiv.fill_file') is not null;
    if not is_empty then
        if lost then
            drop table webarchiv.fill_capture, webarchiv.fill_file;
        end if;
        return;
    end if;
    if not lost then
        create unlogged table webarchiv.fill_file (path text primary key, bytes bigint not null, captures bigint not null);
        create unlogged table webarchiv.fill_capture (
            n bigint generated always as identity, url text not null, surt text collate "C" not null, archived_time timestamptz not null,
            status smallint, digest text, length bigint, doc_offset bigint, id_arc integer, id_domain integer, id_mimetype integer);
        grant select, insert, update on webarchiv.fill_file, webarchiv.fill_capture to oai_loader;
    end if;
    select count(*), coalesce(sum(f.captures), 0) into files, captures from webarchiv.fill_file f;
    lost := lost and files = 0;
    if lost then
        truncate webarchiv.fill_capture;   -- gives the room back that files took which were broken off
    end if;
end $$;

-- Opens the tables for COPY and returns t, the datestamp of this fill, and the first id of a doc. The row of oai.horizon is locked
-- until the transaction ends: neither does it move, nor is anything published.
create function webarchiv.begin_writing(captured boolean, out t timestamptz, out first_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    big constant regclass[] := '{webarchiv.doc,webarchiv.doc_collection,oai.set_chunk}';
    o   oai.horizon;
    one record;
begin
    perform oai.check_load_tables('{fill_index}');
    -- So that the tables are free a second after the loader has gone, whatever index is being made.
    perform set_config('client_connection_check_interval', '1s', true);
    select * into o from oai.horizon for update;
    lock table webarchiv.doc, webarchiv.doc_collection, oai.set_chunk in access exclusive mode;
    if not webarchiv.is_unfilled() then
        raise exception 'another program has begun to fill the repository' using hint = 'Load the files again.';
    end if;
    if captured and (o.h is not null or o.filling is not null) then
        raise exception 'the publisher has run: datestamps are no longer those of captures';
    end if;
    create temporary table fill_index (n integer generated always as identity, what text, ddl text) on commit drop;
    insert into pg_temp.fill_index (what, ddl)
    select i.indexrelid::regclass::text,
           case when c.oid is null then pg_get_indexdef(i.indexrelid)
                else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
    where i.indrelid = any (big) order by i.indrelid, i.indexrelid;
    for one in
        select i.indrelid::regclass as items, i.indexrelid::regclass as index, c.conname
        from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
        where i.indrelid = any (big)
    loop
        if one.conname is null then
            execute format('drop index %s', one.index);
        else
            execute format('alter table %s drop constraint %I', one.items, one.conname);
        end if;
    end loop;
    alter table webarchiv.doc disable trigger user;
    alter table webarchiv.doc_collection disable trigger user;
    truncate webarchiv.doc, webarchiv.doc_collection, oai.set_chunk;   -- so that COPY may write the rows frozen
    insert into webarchiv.fill_open default values;
    grant insert on webarchiv.doc, oai.set_chunk, oai.calendar to oai_loader;
    loop
        t := date_trunc('second', clock_timestamp()) - interval '1 second';
        exit when o.h is null or t > o.h;
        perform pg_sleep(0.1);
    end loop;
    first_id := nextval('webarchiv.doc_id_seq');
end $$;

-- Makes one of the indexes that begin_writing() has dropped, and returns the name of the next one; null: all are made. Called with
-- false it makes none.
create function webarchiv.make_index(make boolean) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    one record;
begin
    perform oai.check_load_tables('{fill_index}');
    if make then
        perform set_config('maintenance_work_mem', '512MB', true);
        select * into one from pg_temp.fill_index order by n limit 1;
        execute one.ddl;
        delete from pg_temp.fill_index i where i.n = one.n;
    end if;
    return (select what from pg_temp.fill_index order by n limit 1);
end $$;

-- Closes the tables and publishes: `records` docs with ids from first_id on and numbers from 1 on, and as many in each set.
create function webarchiv.end_fill(records bigint, first_id bigint, t timestamptz, captured boolean, sets integer[], counts bigint[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{fill_index}');
    if not exists (select from webarchiv.fill_open) then
        raise exception 'no first fill is under way';
    end if;
    perform set_config('oai.publisher', 'on', true);
    update oai.set s set item_count = c.n, held = true from unnest(sets, counts) c(id, n) where s.id = c.id;
    perform set_config('oai.publisher', '', true);
    if not captured and records > 0 then
        insert into oai.calendar (datestamp, before) values (t, 0);
    end if;
    update oai.requirement r set examined = 0, is_universal = true, item_count = 0 where r.columns is not null;
    if records > 0 then
        perform setval('webarchiv.doc_id_seq', first_id + records - 1);
    end if;
    alter table webarchiv.doc enable trigger user;
    alter table webarchiv.doc_collection enable trigger user;
    revoke insert on oai.set_chunk, oai.calendar from oai_loader;
    perform oai.protect_items('webarchiv.doc');   -- which takes INSERT of the whole table back
    delete from webarchiv.fill_open;
    drop table webarchiv.fill_capture, webarchiv.fill_file;
    analyze webarchiv.doc, webarchiv.doc_collection, oai.set_chunk, oai.set, oai.calendar;
    update oai.horizon o
    set h = end_fill.t, last_seq = records, item_count = records, filling = coalesce(o.filling, timestamptz '0001-01-01 00:00:00Z'),
        place = oai.place(), closed = pg_current_xact_id();
end $$;

revoke execute on function webarchiv.refuse_open_fill, webarchiv.is_unfilled, webarchiv.begin_fill, webarchiv.begin_writing,
    webarchiv.make_index, webarchiv.end_fill from public;
grant execute on function webarchiv.begin_fill, webarchiv.begin_writing, webarchiv.make_index, webarchiv.end_fill to oai_loader;
