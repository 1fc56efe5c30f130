-- SPDX-License-Identifier: MIT
-- A loader publishes its own slices: instead of inserting rows that the publisher then updates one by one, it
-- takes the second that is over, as the publisher does, and inserts rows that have their numbers and
-- datestamps already, with their chunks, in one short transaction. What the slice needs beside is prepared
-- before, without the lock. A model has functions for its loader that call those of this file. Those that
-- publish run with the rights of their owner, and oai_loader alone may execute them.
--
-- Each second is used once, so publisher and loaders take turns. After a second of a loader the next one is
-- offered to the publisher first; if it has nothing to publish, it leaves the second to the loader. After a
-- second of the publisher, a loader that waits takes the next one. A publisher that is too slow for its turn,
-- on a busy machine, is given more time every third second, as long as it is seen to run.

-- Makes the temporary tables that slices of a loader pass through, beside those of oai.make_slice(). They
-- belong to the owner of this file's functions, so that no trigger, view or policy of the caller's own can
-- stand in their place.
--   load_posting  for each set, the places within the slice of those items that belong to it
create or replace function oai.make_load_tables() returns void language plpgsql as $$
begin
    perform oai.make_slice();
    create temporary table load_posting (set_id integer, places integer[]) on commit delete rows;
end $$;

-- Refuses temporary tables that a caller has made under these names.
create or replace function oai.check_load_tables(names name[]) returns void language plpgsql as $$
begin
    if exists (select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
               where c.relnamespace = pg_catalog.pg_my_temp_schema() and r.rolname <> current_user
                 and c.relname = any (names
                                      || '{load_posting,candidate,taken,slice,posting,met}'::name[])) then
        raise exception 'a temporary table of this session stands in the place of one of the loader''s'
            using errcode = 'insufficient_privilege';
    end if;
end $$;

-- Fills load_posting from a temporary table with the columns place, from 1 on, and set_ids, the leaf sets.
create or replace function oai.collect_loaded(items name) returns void language plpgsql as $$
declare leaves integer[];
begin
    execute format('select array(select distinct unnest(set_ids) from pg_temp.%I)', items) into leaves;
    delete from pg_temp.load_posting;
    execute format('
        insert into pg_temp.load_posting
        select p.set_id, array_agg(distinct u.place)
        from (select l.leaf, array_agg(i.place) as places
              from pg_temp.%I i, unnest(i.set_ids) l(leaf) group by 1) l
             join (select o.id, o.path from oai.set o where o.id = any ($1) offset 0) o on o.id = l.leaf,
             unnest(o.path) p(set_id), unnest(l.places) u(place)
        group by 1', items) using leaves;
end $$;

-- Takes the row of oai.horizon and the second t that is over, for one slice of `records` items, whose numbers
-- follow `last`. Otherwise turn says why not, and nothing is locked:
--   wait   the second is not over, or is somebody else's: to be called again soon
--   queue  the repository is not numbered yet, or was moved: rows are to be inserted without numbers, for the
--          publisher
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
        end if;
    end if;
    if turn is null then
        last := before.last_seq;
        if oai.base_of(last + 1) <> oai.base_of(last + records) then   -- as oai.number_slice() does
            last := oai.base_of(last + records) - 1;
        end if;
    end if;
end $$;

-- Puts the items of pg_temp.slice, which are inserted now, into the sets of rules.
create or replace function oai.place_loaded(base bigint) returns void language plpgsql as $$
begin
    if not exists (select from oai.rule r where not r.is_hidden) then return; end if;
    perform oai.place_by_rules();
    with placed as (update oai.item i set set_ids = s.new_sets from pg_temp.slice s
                    where i.id = s.id and i.set_ids <> s.new_sets returning s.new_seq, s.new_sets),
    come as (select distinct p.id, (x.new_seq - base)::integer as n
        from placed x, unnest(x.new_sets) u(leaf) join oai.rule r on r.set_id = u.leaf
             join oai.set o on o.id = u.leaf, unnest(o.path) p(id)),
    posted as (insert into pg_temp.posting select c.id, '{}', base, array_agg(c.n order by c.n)
               from come c group by c.id returning set_id, come)
    update oai.set s set item_count = s.item_count + cardinality(p.come), held = true
    from posted p where s.id = p.set_id;
end $$;

-- Ends the slice: load_posting goes to the chunks, the items, in oai.item now, to rules.
create or replace function oai.end_loaded_slice(before oai.horizon, t timestamptz, last bigint,
    records bigint) returns void language plpgsql as $$
declare base constant bigint := oai.base_of(last + 1);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    select p.set_id, '{}', base, array(select n + (last - base)::integer from unnest(p.places) n)
    from pg_temp.load_posting p;
    update oai.set s set item_count = s.item_count + cardinality(p.come), held = true
    from pg_temp.posting p where s.id = p.set_id;
    perform oai.place_loaded(base);
    perform oai.move_postings();
    if exists (select from pg_temp.slice) then perform oai.meet_requirements(); end if;
    insert into oai.calendar (datestamp, before)
    select end_loaded_slice.t, last
    where last / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc
                                limit 1), -1);
    update oai.horizon o
    set h = end_loaded_slice.t, loaded = end_loaded_slice.t, last_seq = last + records,
        item_count = o.item_count + records, closed = pg_current_xact_id();
end $$;

-- Publishes the items of a temporary table with the columns id, place and set_ids. `inserter` is a function
-- of the model that inserts them: (before oai.horizon, t timestamptz, last bigint), where an item's number is
-- last + place. turn: null, or why it is not the caller's turn (oai.begin_loaded_slice); milliseconds: how
-- long the row of oai.horizon was locked. The caller commits at once; one that does not within five seconds
-- is ended. Waits for no other lock longer than 0.1 s (SQLSTATE 55P03), and fails with 40001 if others have
-- inserted one of the items meanwhile: the transaction is then to be run anew.
create or replace function oai.publish_loaded(items name, inserter regproc, out turn text,
    out milliseconds bigint) language plpgsql as $$
declare
    setting  constant text := coalesce(current_setting('oai.publisher', true), '');
    records  bigint;
    slice    record;
    began    timestamptz;
begin
    execute format('select count(*) from pg_temp.%I', items) into records;
    select * into slice from oai.begin_loaded_slice(records);
    turn := slice.turn;
    if turn is not null then return; end if;
    began := clock_timestamp();
    perform set_config('oai.publisher', 'on', true), set_config('jit', 'off', true),
        set_config('random_page_cost', '1.1', true), set_config('work_mem', '64MB', true),
        set_config('lock_timeout', '100ms', true),
        set_config('idle_in_transaction_session_timeout', '5s', true);
    begin
        execute format('select %s($1, $2, $3)', inserter) using slice.before, slice.t, slice.last;
    exception when unique_violation then
        raise serialization_failure using message = 'another program has inserted one of the items';
    end;
    if exists (select from oai.rule r
               where r.name is not null and (r.examined is null or not r.is_hidden)) then
        execute format('insert into pg_temp.slice (id, datestamp, kept, new_seq, old_sets, new_sets)
                        select l.id, $1, false, $2 + l.place, %L, l.set_ids from pg_temp.%I l', '{}', items)
            using slice.t, slice.last;
    end if;
    perform oai.end_loaded_slice(slice.before, slice.t, slice.last, records);
    perform set_config('oai.publisher', setting, true);
    milliseconds := 1000 * extract(epoch from clock_timestamp() - began);
end $$;

-- The first fill: all items of an empty repository in one transaction, written by COPY with their numbers,
-- and so are the chunks of sets. Nobody sees anything of it before that ends. oai_loader executes what a
-- model has for it. While its table fill_open has a row, its tables are open: no transaction ends like that.
create or replace function oai.refuse_open_fill() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare is_open boolean;
begin
    execute format('select exists (select from %s)', tg_relid::regclass) into is_open;
    if is_open then raise exception 'a first fill was not ended'; end if;
    return null;
end $$;

-- Marks the tables as open, and returns the datestamp of the fill: the second that is over, later than h.
create or replace function oai.begin_fill(fill_open regclass, h timestamptz) returns timestamptz
language plpgsql as $$
declare t timestamptz;
begin
    execute format('insert into %s default values', fill_open);
    loop
        t := date_trunc('second', clock_timestamp()) - interval '1 second';
        exit when h is null or t > h;
        perform pg_sleep(0.1);
    end loop;
    return t;
end $$;

-- Publishes what was written: `records` items with numbers from 1 on, and as many in each set. dated: they
-- have the datestamp t, else their own, of which the caller has written the calendar.
create or replace function oai.end_fill(fill_open regclass, records bigint, t timestamptz, dated boolean,
                                        sets integer[], counts bigint[]) returns void language plpgsql as $$
declare opened bigint;
begin
    execute format('delete from %s', fill_open);
    get diagnostics opened = row_count;
    if opened = 0 then raise exception 'no first fill is under way'; end if;
    perform set_config('oai.publisher', 'on', true);
    update oai.set s set item_count = c.n, held = true from unnest(sets, counts) c(id, n) where s.id = c.id;
    if dated and records > 0 then insert into oai.calendar (datestamp, before) values (t, 0); end if;
    update oai.rule r set examined = 0, is_universal = r.is_hidden, item_count = 0
    where r.name is not null;
    update oai.horizon o
    set h = t, loaded = t, last_seq = records, item_count = records, closed = pg_current_xact_id(),
        filling = coalesce(o.filling, timestamptz '0001-01-01 00:00:00Z'), place = oai.place();
    perform set_config('oai.publisher', '', true);
end $$;
