-- SPDX-License-Identifier: MIT
-- A loader publishes its own slices: instead of inserting rows that the publisher then updates one by one, it takes the
-- second that is over, as the publisher does, and inserts rows that have their numbers and datestamps already, with their
-- chunks, in one short transaction. A model has functions for its loader that call those of this file (webarchiv:
-- 106-webarchiv-loading.sql); they run with the rights of their owner, and oai_loader alone may execute them. What the slice
-- needs beside is prepared before, without the lock.
--
-- Each second is used once, so publisher and loaders take turns. After a second of a loader the next one is offered to the
-- publisher first; if it has nothing to publish, it leaves the second to the loader. After a second of the publisher, a loader
-- that waits takes the next one. A publisher that is too slow for its turn, on a busy machine, is given more time every third
-- second, as long as it is seen to run.
alter table oai.horizon
    add column loaded timestamptz,      -- the last datestamp that a loader gave out
    add column closed xid8,             -- the transaction of that loader, which publishes no more
    add column published timestamptz;   -- the second of the last round of the publisher, whether it published or not

-- As in 008-protection.sql, but a loader publishes only until its function returns: what its transaction does behind that is
-- a change like any other.
create or replace function oai.is_publishing() returns boolean language plpgsql volatile security definer set search_path = pg_catalog as $$
declare
    own xid8 := pg_current_xact_id_if_assigned();
begin
    return current_setting('oai.publisher', true) is not distinct from 'on'
        and exists (select from oai.horizon o where (o.xmin = own::xid or o.xmax = own::xid) and o.closed is distinct from own);
end $$;

-- As in 007-triggers.sql, but what is published as it is inserted need not wait for the publisher.
create or replace function oai.queue_inserted() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id) select c.id from changed c;
    end if;
    return null;
end $$;
create or replace function oai.queue_filed() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id)
        select distinct c.item from changed c(item)
        where not exists (select from oai.queue q where q.id = c.item and q.xmin = pg_current_xact_id()::xid);
    end if;
    return null;
end $$;

-- As in 009-lanes.sql, but a second for which there is nothing to publish is left to a loader that had the one before.
create or replace function oai.publish(records integer, keep_deleted boolean default true, out published integer, out waiting boolean,
                                       out lag double precision, out more boolean, out blocked_item bigint, out blocked_set integer,
                                       out blocked_seconds double precision)
language plpgsql as $$
declare
    before  oai.horizon;
    w       oai.walk;
    slice   record;
    t       timestamptz;
    is_left boolean;            -- true if the second is left to a loader
    kept    boolean := false;   -- true if all items of the slice keep the datestamps that they came with
    is_done boolean := false;
    here    text := oai.place();
begin
    perform set_config('oai.publisher', 'on', true);
    perform set_config('jit', 'off', true);   -- compiling a statement takes longer than running any of those below
    perform set_config('random_page_cost', '1.1', true);   -- favours index scans
    perform set_config('work_mem', '64MB', true);
    perform oai.make_slice();
    published := 0;
    more := false;
    perform set_config('lock_timeout', '10s', true);
    select * into before from oai.horizon for update;
    perform set_config('lock_timeout', '100ms', true);
    t := date_trunc('second', clock_timestamp()) - interval '1 second';
    if before.place <> here then
        insert into oai.fork (datestamp, seq) values (t + interval '2 seconds', before.last_seq);
        update oai.horizon set place = here;
    end if;
    waiting := coalesce(t <= before.h, false) or exists (select from oai.fork f where f.datestamp > t);
    lag := extract(epoch from clock_timestamp() - before.h);
    if waiting then
        return;
    end if;
    select * into w from oai.walk k order by k.round desc limit 1;
    if before.place <> here then   -- the numbers of transactions are those of another database
        w.awaited_since := array_fill(null::xid8, array[cardinality(w.awaited)]);
    end if;
    if before.h is null and before.filling is null then
        perform oai.begin_filling();
        w.filling := current_setting('oai.batch')::bigint;
        before.filling := timestamptz '0001-01-01 00:00:00Z' - interval '1 microsecond';   -- as begin_filling() has noted
    end if;
    if publish.keep_deleted is distinct from before.keep_deleted then
        perform oai.apply_policy(publish.keep_deleted);
    end if;

    -- The first attempt meets a lock rarely. It is undone then, and the second one avoids locked sets. A locked table is
    -- waited for by the next round.
    for attempt in case when w.blocked_set is null then 1 else 2 end .. 2 loop
        begin
            select * into slice from oai.publish_slice(w, before, t, records, publish.keep_deleted, attempt = 2);
            w := slice.w;
            published := slice.published;
            more := slice.more;
            kept := slice.kept;
            is_done := true;
            exit;
        exception when lock_not_available then   -- is_done stays false
        end;
    end loop;
    w := oai.note_blocked(w, t, not is_done);
    delete from oai.walk k where k.round = w.round;   -- not UPDATE, which would name every column
    w.round := w.round + 1;
    insert into oai.walk select w.*;
    is_left := published = 0 and coalesce(before.loaded = before.h and before.h = t - interval '1 second', false);
    update oai.horizon o
    set h = case when kept then null when is_left then before.h else t end,
        filling = case when kept then coalesce((select max(datestamp) from pg_temp.slice), before.filling) else before.filling end,
        last_seq = greatest(before.last_seq, (select max(new_seq) from pg_temp.slice)),
        item_count = before.item_count + (select count(new_seq) - count(old_seq) from pg_temp.slice),
        place = here, published = t;
    lag := extract(epoch from clock_timestamp() - case when is_left then before.h else t end);
    blocked_item := w.blocked_item;
    blocked_set := w.blocked_set;
    blocked_seconds := extract(epoch from t - w.blocked_since);
end $$;

-- Makes the temporary tables that slices of a loader pass through, beside those of oai.make_slice(). They belong to the owner
-- of this file's functions, so that no trigger, view or policy of the caller's own can stand in their place.
--   load_posting  for each set, the places within the slice of those items that belong to it
create function oai.make_load_tables() returns void language plpgsql as $$
begin
    perform oai.make_slice();
    create temporary table load_posting (set_id integer, places integer[]) on commit delete rows;
end $$;

-- Refuses temporary tables that a caller has made under these names.
create function oai.check_load_tables(names name[]) returns void language plpgsql as $$
begin
    if exists (select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
               where c.relnamespace = pg_catalog.pg_my_temp_schema() and r.rolname <> current_user
                 and c.relname = any (names || '{load_posting,candidate,taken,slice,posting}'::name[])) then
        raise exception 'a temporary table of this session stands in the place of one of the loader''s'
            using errcode = 'insufficient_privilege';
    end if;
end $$;

-- Fills load_posting from a temporary table with the columns place, which counts from 1, and set_ids, the leaf sets.
create function oai.collect_loaded(items name) returns void language plpgsql as $$
declare
    leaves integer[];
begin
    execute format('select array(select distinct unnest(set_ids) from pg_temp.%I)', items) into leaves;
    delete from pg_temp.load_posting;
    execute format('
        insert into pg_temp.load_posting
        select p.set_id, array_agg(distinct u.place)
        from (select l.leaf, array_agg(i.place) as places from pg_temp.%I i, unnest(i.set_ids) l(leaf) group by 1) l
             join (select o.id, o.path from oai.set o where o.id = any ($1) offset 0) o on o.id = l.leaf,
             unnest(o.path) p(set_id), unnest(l.places) u(place)
        group by 1', items) using leaves;
end $$;

-- Takes the row of oai.horizon and the second t that is over, for one slice of `records` items, whose numbers follow `last`.
-- Otherwise turn says why not, and nothing is locked:
--   wait   the second is not over, or is somebody else's: to be called again soon
--   queue  the repository is not numbered yet, or was moved: rows are to be inserted without numbers, for the publisher
create function oai.begin_loaded_slice(records bigint, out turn text, out before oai.horizon, out t timestamptz, out last bigint)
language plpgsql as $$
declare
    now       timestamptz := clock_timestamp();
    turn_ends interval;   -- from the beginning of the second: until then it is the publisher's turn
begin
    select * into before from oai.horizon o order by o.h desc nulls last limit 1;
    t := date_trunc('second', now) - interval '1 second';
    turn_ends := case when before.published >= t - interval '30 seconds' and before.published < t - interval '2 seconds'
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
        elsif t <= before.h then   -- somebody was faster; but now the row is locked, and the next second is this caller's
            perform pg_sleep(extract(epoch from date_trunc('second', clock_timestamp()) + interval '1.001 seconds' - clock_timestamp()));
            t := date_trunc('second', clock_timestamp()) - interval '1 second';
        end if;
    end if;
    if turn is null then
        last := before.last_seq;
        if oai.base_of(last + 1) <> oai.base_of(last + records) then   -- as the publisher does (014-numbers.sql)
            last := oai.base_of(last + records) - 1;
        end if;
    end if;
end $$;

-- Ends the slice: load_posting goes to the chunks, and the items, which are in oai.item now, to what formats require.
-- pg_temp.slice has the items if there are requirements.
create function oai.end_loaded_slice(before oai.horizon, t timestamptz, last bigint, records bigint) returns void
language plpgsql as $$
declare
    base constant bigint := oai.base_of(last + 1);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    select p.set_id, '{}', base, array(select n + (last - base)::integer from unnest(p.places) n) from pg_temp.load_posting p;
    update oai.set s set item_count = s.item_count + cardinality(p.come), held = true
    from pg_temp.posting p where s.id = p.set_id;
    perform oai.move_postings();
    if exists (select from pg_temp.slice) then
        perform oai.meet_requirements();
    end if;
    insert into oai.calendar (datestamp, before)
    select end_loaded_slice.t, last
    where last / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc limit 1), -1);
    update oai.horizon o
    set h = end_loaded_slice.t, loaded = end_loaded_slice.t, last_seq = last + records, item_count = o.item_count + records,
        closed = pg_current_xact_id();
end $$;

-- Whether formats require something, so that pg_temp.slice has to be filled.
create function oai.has_requirements() returns boolean language sql stable as $$
    select exists (select from oai.requirement r where r.columns is not null and r.examined is null)
$$;

revoke execute on function oai.make_load_tables, oai.check_load_tables, oai.collect_loaded, oai.begin_loaded_slice,
    oai.end_loaded_slice, oai.has_requirements from public;
