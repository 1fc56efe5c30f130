-- SPDX-License-Identifier: MIT
-- The first fill of an empty web archive by `oai load`. Files are read into unlogged tables, each in a
-- transaction of its own, so that a fill that was broken off goes on with the next file: into compressed
-- blocks of captures of one bucket: all of a host, or of a day where these become the datestamps, so that the
-- loader sorts one bucket after the other in memory. Then everything is written in one transaction by COPY,
-- in the order of numbers, the chunks of sets, too, and published: without triggers and indexes, which are
-- made at the end.

create or replace function webarchiv.is_unfilled() returns boolean language sql stable as $$
    select not exists (select from webarchiv.doc) and not exists (select from oai.queue)
           and (select o.last_seq = 0 and coalesce(o.place = oai.place(), true) from oai.horizon o)
$$;

-- Makes the tables that files are read into, for buckets of days if `captured`. Returns false if the
-- repository is not empty; otherwise how many files were read before, and the number of their captures. lost:
-- none was read to its end, or not for the same datestamps, or the database has crashed since. A replica that
-- has become the primary has these tables, but empty, and a sequence may be damaged (PostgreSQL 15: "bad
-- magic number in sequence"), so they are made anew. It is another database to the repository (oai.place())
-- until the publisher has noticed, for which it is given a few seconds.
create or replace function webarchiv.begin_fill(captured boolean, out is_empty boolean, out files bigint,
                                                out captures bigint, out lost boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    for attempt in 1 .. 50 loop
        is_empty := webarchiv.is_unfilled();
        exit when is_empty or exists (select from webarchiv.doc)
                  or (select o.last_seq > 0 or coalesce(o.place = oai.place(), true) from oai.horizon o);
        perform pg_sleep(0.2);
    end loop;
    lost := false;
    if to_regclass('webarchiv.fill_file') is not null then
        if is_empty then
            lost := not exists (select from webarchiv.fill_file)
                    or exists (select from webarchiv.fill_file f where f.captured <> begin_fill.captured);
        end if;
        if lost or not is_empty then drop table webarchiv.fill_block, webarchiv.fill_file; end if;
    end if;
    if not is_empty then return; end if;
    if to_regclass('webarchiv.fill_file') is null then
        create unlogged table webarchiv.fill_file (
            path text primary key, bytes bigint not null, captures bigint not null,
                captured boolean not null);
        create unlogged table webarchiv.fill_block (
            n bigint generated always as identity, bucket integer not null, captures integer not null,
            rows text compression lz4 not null, primary key (bucket, n));
        grant select, insert, update on webarchiv.fill_file, webarchiv.fill_block to oai_loader;
    end if;
    select count(*), coalesce(sum(f.captures), 0) into files, captures from webarchiv.fill_file f;
end $$;

-- t: the datestamp of this fill; first_id: of a doc. The row of oai.horizon is locked until the transaction
-- ends: neither does it move, nor is anything published.
create or replace function webarchiv.begin_writing(captured boolean, out t timestamptz, out first_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    o   oai.horizon;
    one record;
begin
    perform oai.check_load_tables();
    -- So that the tables are free a second after the loader has gone, whatever index is being made.
    perform set_config('client_connection_check_interval', '1s', true);
    select * into o from oai.horizon for update;
    lock table webarchiv.doc, oai.set_chunk in access exclusive mode;
    if not webarchiv.is_unfilled() then
        raise exception 'another program has begun to fill the repository'
            using hint = 'Load the files again.';
    end if;
    if captured and (o.h is not null or o.filling is not null) then
        raise exception 'the publisher has run: datestamps are no longer those of captures';
    end if;
    create temporary table fill_ddl on commit drop as
        -- The largest first, while there is most room to sort it.
        select row_number() over (order by i.indrelid, i.indnatts desc, i.indexrelid) as n,
               case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
                    else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname)
               end as removal,
               case when c.oid is null then pg_get_indexdef(i.indexrelid)
                    else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname,
                                pg_get_constraintdef(c.oid)) end as ddl
        from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
        where i.indrelid in ('webarchiv.doc'::regclass, 'oai.set_chunk'::regclass)
        union all
        -- Triggers that are only disabled would still have COPY keep all rows for their transition tables.
        select 1000, format('drop trigger %I on webarchiv.doc', t.tgname), pg_get_triggerdef(t.oid)
        from pg_trigger t where t.tgrelid = 'webarchiv.doc'::regclass and not t.tgisinternal;
    for one in select f.removal from pg_temp.fill_ddl f loop
        execute one.removal;
    end loop;
    truncate webarchiv.doc, oai.set_chunk;   -- so that COPY may write the rows frozen
    grant insert on webarchiv.doc, oai.set_chunk, oai.calendar to oai_loader;
    insert into webarchiv.fill_open default values;
    loop
        t := date_trunc('second', clock_timestamp()) - interval '1 second';
        exit when o.h is null or t > o.h;
        perform pg_sleep(0.1);
    end loop;
    first_id := nextval('webarchiv.doc_id_seq');
end $$;

-- Publishes what was written: `records` items with numbers from 1 on and ids from first_id on, `counts` in
-- each set. captured: they have their own datestamps, of which the caller has written the calendar, else t.
create or replace function webarchiv.end_fill(records bigint, first_id bigint, t timestamptz,
    captured boolean, sets integer[], counts bigint[]) returns void language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $$
declare one record;
begin
    perform oai.check_load_tables();
    delete from webarchiv.fill_open;
    if not found then raise exception 'no first fill is under way'; end if;
    perform set_config('maintenance_work_mem', '512MB', true);
    for one in select f.ddl from pg_temp.fill_ddl f order by f.n loop
        execute one.ddl;
    end loop;
    perform set_config('oai.publisher', 'on', true);
    update oai.set s set item_count = c.n, held = true from unnest(sets, counts) c(id, n) where s.id = c.id;
    if records > 0 then
        if not captured then insert into oai.calendar (datestamp, before) values (t, 0); end if;
        perform setval('webarchiv.doc_id_seq', first_id + records - 1);
    end if;
    update oai.rule r set examined = 0, is_universal = r.is_hidden, item_count = 0
    where r.name is not null;
    update oai.horizon o
    set h = t, loaded = t, last_seq = records, item_count = records, closed = pg_current_xact_id(),
        filling = coalesce(o.filling, timestamptz '0001-01-01 00:00:00Z'), place = oai.place();
    perform set_config('oai.publisher', '', true);
    revoke insert on webarchiv.doc, oai.set_chunk, oai.calendar from oai_loader;
    perform oai.track_items('webarchiv.doc');   -- which grants INSERT of some columns
    drop table webarchiv.fill_block, webarchiv.fill_file;
    analyze webarchiv.doc, oai.set_chunk, oai.set, oai.calendar;
end $$;
