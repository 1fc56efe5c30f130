-- SPDX-License-Identifier: MIT
-- A loader publishes its own slices: it takes the second that is over, as the publisher does, and inserts
-- rows that have their numbers and datestamps already, with their chunks, in one short transaction. What the
-- slice needs beside is prepared before, without the lock, in temporary tables. They belong to the owner of
-- these functions, so that nothing of the caller's own can stand in their place. A model makes and fills
--   load_new      the new items: place, from 1 on, id, set_ids (the leaf sets), and what the model needs
-- of which comes for each set in pg_temp.posting which of those places belong to it; and
-- oai.insert_loaded(before oai.horizon, t timestamptz, last bigint) inserts the items, whose numbers are
-- last + place. What publishes runs with the rights of its owner; oai_loader alone may execute it.
--
-- Each second is used once, so publisher and loaders take turns. After a second of a loader the next one is
-- offered to the publisher first, who leaves it to the loader if there is nothing to publish. A publisher
-- that is too slow for its turn, on a busy machine, is given more time every third second, while it is seen
-- to run.

create or replace function oai.check_load_tables() returns void language plpgsql as $$
begin
    if exists (select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
               where c.relnamespace = pg_catalog.pg_my_temp_schema() and r.rolname <> current_user
                 and c.relname = any ('{candidate,taken,slice,posting,met,load_new,load_item,load_capture,'
                                      'load_horizon,fill_ddl}'::name[])) then
        raise exception 'a temporary table of this session stands in the place of one of the loader''s'
            using errcode = 'insufficient_privilege';
    end if;
end $$;

create or replace function oai.collect_loaded() returns void language plpgsql as $$
declare leaves constant integer[] := array(select distinct unnest(n.set_ids) from pg_temp.load_new n);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    select p.set_id, '{}', 0, array_agg(distinct u.place)
    from (select l.leaf, array_agg(n.place) as places
          from pg_temp.load_new n, unnest(n.set_ids) l(leaf) group by 1) l
         join (select o.id, o.path from oai.set o where o.id = any (leaves) offset 0) o on o.id = l.leaf,
         unnest(o.path) p(set_id), unnest(l.places) u(place) group by 1;
end $$;

-- Takes the row of oai.horizon and the second t that is over, for one slice of `records` items, whose numbers
-- follow `last`. Otherwise turn says why not, and nothing is locked but that row, if the clock went back:
--   wait   the second is not over, or is somebody else's: to be called again soon
--   queue  it is not numbered yet, was moved, or its clock went back: insert rows for the publisher to number
create or replace function oai.begin_loaded_slice(records bigint, out turn text, out before oai.horizon,
                                                  out t timestamptz, out last bigint) language plpgsql as $$
declare
    now       timestamptz := clock_timestamp();
    turn_ends interval;   -- from the beginning of the second: until then it is the publisher's turn
begin
    select * into before from oai.horizon o order by o.h desc nulls last limit 1;
    t := date_trunc('second', now) - interval '1 second';
    turn_ends := case when before.published >= t - interval '30 seconds'
                           and before.published < t - interval '2 seconds'
                      then interval '0.5 seconds' else interval '0.04 seconds' end;
    if before.h is null or before.place is distinct from oai.place() then
        turn := 'queue';
    elsif t <= before.h or exists (select from oai.fork f where f.datestamp > t)
          or (before.loaded = before.h and now < t + interval '1 second' + turn_ends) then
        turn := 'wait';
    else
        select * into before from oai.horizon for update skip locked;
        if not found then
            turn := 'wait';
        elsif t <= before.h then
            -- Somebody was faster; but now the row is locked, and the next second is this caller's.
            perform pg_sleep(extract(epoch from date_trunc('second', clock_timestamp())
                                                + interval '1.001 seconds' - clock_timestamp()));
            t := date_trunc('second', clock_timestamp()) - interval '1 second';
            turn := case when t <= before.h then 'queue' end;   -- the clock was turned back as this slept
        end if;
    end if;
    if turn is null then
        last := oai.number_before(before.last_seq, records);
    end if;
end $$;

-- Publishes the items of load_new. turn: null, or why it is not the caller's turn (oai.begin_loaded_slice);
-- milliseconds: how long the row of oai.horizon was locked. The caller commits at once; one that does not
-- within five seconds is ended. Waits for no other lock longer than 0.1 s (SQLSTATE 55P03), and fails with
-- 40001 if others have inserted one of the items meanwhile: the transaction is then to be run anew.
create or replace function oai.publish_loaded(out turn text, out milliseconds bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set random_page_cost = 1.1 set work_mem = '64MB' as $$
declare
    setting  constant text := coalesce(current_setting('oai.publisher', true), '');
    records  bigint;
    slice    record;
    began    timestamptz;
begin
    perform oai.check_load_tables();
    select count(*) into records from pg_temp.load_new;
    select * into slice from oai.begin_loaded_slice(records);
    turn := slice.turn;
    if turn is not null then return; end if;
    began := clock_timestamp();
    perform set_config('oai.publisher', 'on', true), set_config('lock_timeout', '100ms', true),
        set_config('idle_in_transaction_session_timeout', '5s', true);
    begin
        perform oai.insert_loaded(slice.before, slice.t, slice.last);
    exception when unique_violation then
        raise serialization_failure using message = 'another program has inserted one of the items';
    end;
    if exists (select from oai.rule r
               where r.name is not null and (r.examined is null or not r.is_hidden)) then
        insert into pg_temp.slice (id, datestamp, kept, new_seq, old_sets, new_sets)
        select n.id, slice.t, false, slice.last + n.place, '{}', n.set_ids from pg_temp.load_new n;
    end if;
    update pg_temp.posting p
    set base = x.base, come = array(select n + (slice.last - x.base)::integer from unnest(p.come) n)
    from oai.base_of(slice.last + 1) x(base);
    if exists (select from oai.rule r where not r.is_hidden) then
        perform oai.place_by_rules();
        with placed as (update oai.item i set set_ids = s.new_sets from pg_temp.slice s
                        where i.id = s.id and i.set_ids <> s.new_sets returning s.new_seq, s.new_sets)
        insert into pg_temp.posting
        select p.id, '{}', b.base, array_agg(distinct (x.new_seq - b.base)::integer)
        from placed x, oai.base_of(x.new_seq) b(base), unnest(x.new_sets) u(leaf)
             join oai.rule r on r.set_id = u.leaf
             join oai.set o on o.id = u.leaf, unnest(o.path) p(id) group by p.id, b.base;
    end if;
    update oai.set s set item_count = s.item_count + cardinality(p.come), held = true
    from pg_temp.posting p where s.id = p.set_id;
    perform oai.move_postings();
    if exists (select from pg_temp.slice) then perform oai.meet_requirements(); end if;
    insert into oai.calendar (datestamp, before)
    select slice.t, slice.last
    where slice.last / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc
                                      limit 1), -1);
    update oai.horizon o
    set h = slice.t, loaded = slice.t, last_seq = slice.last + records,
        item_count = o.item_count + records, closed = pg_current_xact_id();
    perform set_config('oai.publisher', setting, true);
    milliseconds := 1000 * extract(epoch from clock_timestamp() - began);
end $$;

-- While the table of a first fill (webarchiv/fill.sql) has a row, no transaction ends.
create or replace function oai.refuse_open_fill() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare is_open boolean;
begin
    execute format('select exists (select from %s)', tg_relid::regclass) into is_open;
    if is_open then raise exception 'a first fill was not ended'; end if;
    return null;
end $$;
