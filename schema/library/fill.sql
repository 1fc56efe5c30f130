-- SPDX-License-Identifier: MIT
-- The first fill of a library by `oai load` (core/loading.sql): items are written in the order in which they
-- are read. What is broken off leaves nothing. Neither a staging table nor a trigger does anything for a row.
-- Others read meanwhile; who writes items waits. Only in an empty repository, whose publisher has run: before
-- that, items keep the datestamps that they bring, and the publisher numbers them in that order.

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
declare o oai.horizon;
begin
    if not library.is_unfilled() then return; end if;
    perform set_config('lock_timeout', '5s', true);
    -- not within a block: oai.is_publishing() asks who has the lock
    select * into o from oai.horizon for update;
    begin
        lock table library.item, library.item_collection in share row exclusive mode;
    exception when lock_not_available then
        return;
    end;
    if not library.is_unfilled() then return; end if;
    -- So that the tables are free a second after the loader has gone.
    perform set_config('client_connection_check_interval', '1s', true);
    perform set_config('oai.publisher', 'on', true), set_config('work_mem', '64MB', true);
    grant insert (seq, set_ids) on library.item to oai_loader;
    grant insert on oai.set_chunk to oai_loader;
    t := oai.begin_fill('library.fill_open', o.h);
    first_id := nextval('library.item_id_seq');
end $$;

-- Closes the tables and publishes, as oai.end_fill() says; ids begin with first_id.
create or replace function library.end_fill(records bigint, first_id bigint, t timestamptz, sets integer[],
                                            counts bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.end_fill('library.fill_open', records, t, true, sets, counts);
    if (select count(*) <> records or min(i.seq) <> 1 or max(i.seq) <> records from library.item i) then
        raise exception 'the items are not those of the fill';
    end if;
    if records > 0 then perform setval('library.item_id_seq', first_id + records - 1); end if;
    revoke insert (seq, set_ids) on library.item from oai_loader;
    revoke insert on oai.set_chunk from oai_loader;
    analyze library.item, library.item_collection, oai.set_chunk, oai.set, oai.calendar;
end $$;
