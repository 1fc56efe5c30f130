-- SPDX-License-Identifier: MIT

-- Writes to oai.calendar where the datestamps of the slice begin. A datestamp that an earlier slice of the
-- first numbering gave out as well began there, and is left out.
create or replace function oai.note_datestamps(before oai.horizon) returns void language plpgsql as $$
#variable_conflict use_column
begin
    insert into oai.calendar (datestamp, before)
    select distinct on (b.before / 16) b.datestamp, b.before
    from (select s.datestamp, min(s.new_seq) - 1 as before from pg_temp.slice s
          where s.new_seq is not null
            and s.datestamp > coalesce(note_datestamps.before.h, note_datestamps.before.filling)
          group by s.datestamp) b
    where b.before / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc
                                    limit 1), -1)
    order by b.before / 16, b.before;
end $$;

-- Identifies this database, by the cluster, the timeline and the oid of the database. A promoted replica, and
-- a cluster that is restored to a point in time, begin a new timeline; a restored dump has another oid.
create or replace function oai.place() returns text language sql volatile as $$
    select concat_ws('/', (select system_identifier
                           from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
                     (select d.oid from pg_database d where d.datname = current_database()))
$$;

-- Takes and publishes a slice: the part of a round that may meet locks. `kept` says whether all items keep
-- the datestamps that they came with (the first numbering); `avoid` whether to look for sets that are locked.
-- As in 009-lanes.sql, and packs chunks: many if there is little to publish.
create or replace function oai.publish_and_pack(inout w oai.walk, before oai.horizon, t timestamptz,
                                                records integer, keep_deleted boolean,
                                             avoid boolean, out published integer, out kept boolean,
                                                 out more boolean)
language plpgsql as $$
declare
    round record;
begin
    select * into round from oai.take_changed(w, records);
    w := round.w;
    published := round.taken;
    more := round.more;
    kept := before.h is null and w.filling is not null;
    if published > 0 and avoid then
        w.blocked_set := oai.put_back_blocked();
        select count(*) into published from pg_temp.taken;
    end if;
    if published > 0 then
        kept := oai.number_slice(before, t, keep_deleted);
        perform oai.note_datestamps(before);
    end if;
    if before.h is not null then
        w := oai.merge_chunks(w, before.last_seq, case when published < records / 4 then 2000 else 500 end);
        w := oai.move_chunks(w, case when published < records / 4 then 64 else 8 end);
    end if;
end $$;

create or replace function oai.publish_slice(inout w oai.walk, before oai.horizon, t timestamptz,
                                             records integer, keep_deleted boolean,
                                  avoid boolean, out published integer, out kept boolean, out more boolean)
language plpgsql as $$
declare
    round    record;
    last_seq bigint;
begin
    select * into round from oai.publish_and_pack(w, before, t, records, keep_deleted, avoid);
    w := round.w;
    published := round.published;
    kept := round.kept;
    more := round.more;
    if published > 0 then
        perform oai.meet_requirements();
    end if;
    if before.h is not null then
        select greatest(before.last_seq, max(s.new_seq)) into last_seq from pg_temp.slice s;
        more := oai.catch_up_requirements(last_seq, greatest(statement_timestamp() + interval '0.6 s',
                                                             clock_timestamp() + interval '0.1 s')) or more;
    end if;
end $$;

-- Publishes up to `records` changed items. Call it in a transaction of its own (READ COMMITTED), about once a
-- second:
--   published  items that got a new number (or, with keep_deleted false, left the lists)
--   waiting    true if nothing was published because the clock has not passed the horizon, or the second of a
--              row of oai.fork, yet
--   lag        seconds from the horizon to the clock, after this call
-- Concurrent callers wait for each other at the row of oai.horizon; readers never wait. As in 009-lanes.sql,
-- but a second for which there is nothing to publish is left to a loader that had the one before.
create or replace function oai.publish(records integer, keep_deleted boolean default true,
                                       out published integer, out waiting boolean,
                                       out lag double precision, out more boolean, out blocked_item bigint,
                                           out blocked_set integer,
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
    -- compiling a statement takes longer than running any of those below
    perform set_config('jit', 'off', true);
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
        -- as begin_filling() has noted
        before.filling := timestamptz '0001-01-01 00:00:00Z' - interval '1 microsecond';
    end if;
    if publish.keep_deleted is distinct from before.keep_deleted then
        perform oai.apply_policy(publish.keep_deleted);
    end if;

    -- The first attempt meets a lock rarely. It is undone then, and the second one avoids locked sets. A
    -- locked table is waited for by the next round.
    for attempt in case when w.blocked_set is null then 1 else 2 end .. 2 loop
        begin
            select * into slice from oai.publish_slice(w, before, t, records, publish.keep_deleted,
                                                       attempt = 2);
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
    is_left := published = 0 and coalesce(before.loaded = before.h
                                          and before.h = t - interval '1 second', false);
    update oai.horizon o
    set h = case when kept then null when is_left then before.h else t end,
        filling = case when kept then coalesce((select max(datestamp)
                                                from pg_temp.slice), before.filling) else before.filling end,
        last_seq = greatest(before.last_seq, (select max(new_seq) from pg_temp.slice)),
        item_count = before.item_count + (select count(new_seq) - count(old_seq) from pg_temp.slice),
        place = here, published = t;
    lag := extract(epoch from clock_timestamp() - case when is_left then before.h else t end);
    blocked_item := w.blocked_item;
    blocked_set := w.blocked_set;
    blocked_seconds := extract(epoch from t - w.blocked_since);
end $$;
