-- SPDX-License-Identifier: MIT

create or replace function library.refuse_open_fill() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if exists (select from library.fill_open) then
        raise exception 'a first fill was not ended';
    end if;
    return null;
end $$;

create or replace function library.is_unfilled() returns boolean language sql stable as $$
    select not exists (select from library.item) and not exists (select from oai.queue)
           and (select o.h is not null and o.last_seq = 0 and o.place = oai.place() from oai.horizon o)
$$;

-- Opens the tables for COPY if the repository is empty, and returns t, the datestamp of this fill, and the
-- first id of an item. Then the row of oai.horizon is locked until the transaction ends: neither does it
-- move, nor is anything published. Otherwise t is null, and the transaction is one like any other. So it is
-- if somebody else has had one of the tables for seconds.
create or replace function library.begin_fill(out t timestamptz, out first_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    o oai.horizon;
begin
    if not library.is_unfilled() then
        return;
    end if;
    perform set_config('lock_timeout', '5s', true);
    -- not within a block: oai.is_publishing() asks who has the lock
    select * into o from oai.horizon for update;
    begin
        lock table library.item, library.item_collection in share row exclusive mode;
    exception when lock_not_available then
        return;
    end;
    if not library.is_unfilled() then
        return;
    end if;
    -- So that the tables are free a second after the loader has gone.
    perform set_config('client_connection_check_interval', '1s', true);
    perform set_config('oai.publisher', 'on', true), set_config('work_mem', '64MB', true);
    insert into library.fill_open default values;
    grant insert (seq, set_ids) on library.item to oai_loader;
    grant insert on oai.set_chunk to oai_loader;
    loop
        t := date_trunc('second', clock_timestamp()) - interval '1 second';
        exit when t > o.h;
        perform pg_sleep(0.1);
    end loop;
    first_id := nextval('library.item_id_seq');
end $$;

-- Closes the tables and publishes: `records` items with ids from first_id on and numbers from 1 on, and as
-- many in each set.
create or replace function library.end_fill(records bigint, first_id bigint, t timestamptz, sets integer[],
                                            counts bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not exists (select from library.fill_open) then
        raise exception 'no first fill is under way';
    end if;
    if (select count(*) <> records or min(i.seq) <> 1 or max(i.seq) <> records from library.item i) then
        raise exception 'the items are not those of the fill';
    end if;
    perform set_config('oai.publisher', 'on', true);
    update oai.set s set item_count = c.n, held = true from unnest(sets, counts) c(id, n) where s.id = c.id;
    if records > 0 then
        insert into oai.calendar (datestamp, before) values (t, 0);
        perform setval('library.item_id_seq', first_id + records - 1);
    end if;
    update oai.requirement r set examined = 0, is_universal = true, item_count = 0
    where r.columns is not null;
    revoke insert (seq, set_ids) on library.item from oai_loader;
    revoke insert on oai.set_chunk from oai_loader;
    delete from library.fill_open;
    update oai.horizon o
    set h = end_fill.t, loaded = end_fill.t, last_seq = records, item_count = records,
        closed = pg_current_xact_id();
    perform set_config('oai.publisher', '', true);
    analyze library.item, library.item_collection, oai.set_chunk, oai.set, oai.calendar;
end $$;
-- A constraint trigger cannot be replaced.
do $$
begin
    if not exists (select from pg_trigger where tgrelid = 'library.fill_open'::regclass
                   and tgname = 'refuse_open_fill') then
        create constraint trigger refuse_open_fill after insert on library.fill_open deferrable initially deferred
            for each row execute function library.refuse_open_fill();
    end if;
end $$;
