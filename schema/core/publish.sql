-- SPDX-License-Identifier: MIT
-- Datestamps that harvesters can rely on: a single publisher gives numbers and datestamps to changed items,
-- in short transactions. The datestamp is t, the last second that is over, and it is given only if t is later
-- than the horizon h. So nothing is added any more at or before h, and a harvester that received the
-- responseDate h + 1 and next asks from that time on misses nothing.
--
-- Publication numbers have no end. A chunk holds not the numbers, which as int4 would end at 2^31, but their
-- differences to its base, the last multiple of 2^31 that is not above its first_seq. All numbers of a chunk,
-- and of a slice, have the same base: a slice that would pass a multiple of 2^31 begins there.

create or replace function oai.base_of(seq bigint) returns bigint language sql immutable parallel safe as $$
    select (seq >> 31) << 31
$$;

-- The number that precedes those of a slice of n items, if `last` was the last one.
create or replace function oai.number_before(last bigint, n bigint) returns bigint
language sql immutable parallel safe as $$
    select case when oai.base_of(last + 1) = oai.base_of(last + n) then last
                else oai.base_of(last + n) - 1 end
$$;

-- Makes the temporary tables in which a slice of changed items passes through the functions below:
--   candidate  entries of the queue that this round looks at
--   taken      the items that were taken from the queue
--   slice      for each item, what the lists hold now (old_...) and what they shall hold (new_...)
--   posting    for each set, the numbers that leave it (gone), and the differences to `base` of those that
--              are added (come)
--   met        what oai.rule_matches() says of the slice
create or replace function oai.make_slice() returns void language plpgsql as $$
begin
    if to_regclass('pg_temp.slice') is null then
        create temporary table candidate (batch bigint, n bigint, id bigint) on commit delete rows;
        create temporary table taken (id bigint, n bigint) on commit delete rows;
        create temporary table slice (
            id bigint, datestamp timestamptz, kept boolean, old_seq bigint, new_seq bigint,
            old_sets integer[], new_sets integer[]) on commit delete rows;
        create temporary table posting (
            set_id integer, gone bigint[], base bigint, come integer[]) on commit delete rows;
        create temporary table met (n integer, id bigint, problem text) on commit delete rows;
    end if;
end $$;

-- Brings pg_temp.posting into the chunks: what comes is appended to the last chunk of the set if all of it
-- fits there. No row is updated twice, since that would need room for two new versions in its page.
create or replace function oai.move_postings() returns void
language plpgsql set search_path = oai, pg_temp as $$
begin
    update rule r set item_count = r.item_count + cardinality(p.come) - cardinality(p.gone)
    from pg_temp.posting p
    where r.set_id = p.set_id and r.is_hidden and cardinality(p.come) <> cardinality(p.gone);
    with place as materialized (   -- so that each number is looked up only once
        select p.set_id, k.first_seq, k.seqs, (u.seq - oai.base_of(u.seq))::integer as difference
        from pg_temp.posting p, unnest(p.gone) u(seq), lateral (select k.first_seq, k.seqs from set_chunk k
                      where k.set_id = p.set_id and k.first_seq <= u.seq and k.first_seq >= oai.base_of(u.seq)
                      order by k.first_seq desc limit 1) k),
    gone as (
        select set_id, first_seq, max(seqs) as seqs, array_agg(difference) as gone from place group by 1, 2),
    kept as (select set_id, first_seq,
               -- the usual case, and faster
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])
                    else array(select n from unnest(seqs) with ordinality u(n, o)
                               where n <> all (gone) order by o)
               end as seqs
        from gone),
    come as (select p.set_id, p.base, p.come, k.first_seq, k.seqs
        from pg_temp.posting p left join lateral (select k.first_seq, k.seqs from set_chunk k
            where k.set_id = p.set_id order by k.first_seq desc limit 1) k
        on cardinality(k.seqs) + cardinality(p.come) <= 128 and k.first_seq >= p.base
        where p.come <> '{}'),
    changed as (select set_id, first_seq, coalesce(kept.seqs, t.seqs) || coalesce(t.come, '{}') as seqs
        from kept full join (select * from come where first_seq is not null) t using (set_id, first_seq)),
    emptied as (delete from set_chunk k using changed c
        where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) = 0),
    added as (insert into set_chunk (set_id, first_seq, seqs)
        select c.set_id, c.base + c.come[i], c.come[i : i + 127]
        from come c, generate_series(1, cardinality(c.come), 128) i where c.first_seq is null)
    update set_chunk k set seqs = c.seqs from changed c
    where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) > 0;
end $$;

-- Old numbers leave sets, ancestors included, and hidden rules, and the new ones enter the sets. What enters
-- a hidden rule is known only when the items have their numbers (oai.meet_requirements).
create or replace function oai.move_numbers() returns void
language plpgsql set search_path = oai, pg_temp as $$
declare
    -- With an array, sets are looked up one by one. A join would read the whole table of sets each time.
    leaves integer[] := array(select distinct unnest(s.old_sets || s.new_sets) from pg_temp.slice s);
    base   constant bigint := (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    -- Hashed into groups and sorted set by set: most sets get a single number, which needs no sorting.
    select set_id,
           case when cardinality(gone) > 1 then array(select distinct n from unnest(gone) u(n) order by n)
                else coalesce(gone, '{}') end,
           base,
           case when cardinality(come) > 1 then array(select distinct n from unnest(come) u(n) order by n)
                else coalesce(come, '{}') end
    from (select p.set_id, array_agg(l.old_seq) filter (where l.old_seq is not null) as gone,
                 array_agg(l.new_difference) filter (where l.new_difference is not null) as come
          from (select s.old_seq, null::integer as new_difference, unnest(s.old_sets) as leaf
                from pg_temp.slice s where s.old_seq is not null
                union all
                select null, (s.new_seq - base)::integer, unnest(s.new_sets)
                from pg_temp.slice s where s.new_seq is not null) l
          join (select o.id, o.path from set o where o.id = any (leaves) offset 0) o on o.id = l.leaf,
               unnest(o.path) p(set_id) group by p.set_id) x;
    analyze pg_temp.posting;
    insert into pg_temp.posting
    select r.set_id, array_agg(s.old_seq order by s.old_seq), null, '{}'
    from rule r, pg_temp.slice s, lateral (select k.first_seq, k.seqs from set_chunk k
                  where k.set_id = r.set_id and k.first_seq <= s.old_seq order by k.first_seq desc limit 1) k
    where r.is_hidden and r.name is not null and not r.is_universal
          and s.old_seq - oai.base_of(k.first_seq) = any (k.seqs) group by r.set_id;
    update set s set item_count = s.item_count + cardinality(p.come) - cardinality(p.gone), held = true
    from pg_temp.posting p
    where s.id = p.set_id and (cardinality(p.come) <> cardinality(p.gone) or not s.held);
    perform move_postings();
end $$;

-- A datestamp up to `since` began in an earlier slice.
create or replace function oai.note_dates(since timestamptz) returns void
language plpgsql set search_path = oai, pg_temp as $$
begin
    insert into calendar (datestamp, before)
    select distinct on (b.last / 16) b.datestamp, b.last
    from (select s.datestamp, min(s.new_seq) - 1 as last from pg_temp.slice s
          where s.new_seq is not null and s.datestamp > since group by 1) b
    where b.last / 16 > coalesce((select c.before / 16 from calendar c order by c.datestamp desc limit 1), -1)
    order by b.last / 16, b.last;
end $$;

-- Gives the items in pg_temp.taken their numbers and the datestamp t; but during the first numbering an item
-- keeps the one that it comes with, if the order of the list allows that. Returns whether all kept theirs.
create or replace function oai.number_slice(before oai.horizon, t timestamptz, keep_deleted boolean)
    returns boolean language plpgsql as $$
declare
    last constant bigint := oai.number_before(before.last_seq, (select count(*) from pg_temp.taken));
begin
    analyze pg_temp.taken;
    insert into pg_temp.slice
    select x.id, case when x.kept then date_trunc('second', x.brought) else t end, x.kept, x.seq,
           case when x.listed
                then last + row_number() over (order by x.listed desc, x.kept desc, x.brought, x.n) end,
           x.set_ids,
           case when x.deleted and x.set_ids <> '{}' then x.set_ids else x.sets_now end
    from (select c.id, c.n, i.seq, i.set_ids, i.sets_now, i.deleted,
                 i.deleted is not null and (number_slice.keep_deleted or not i.deleted) as listed,
                 k.kept, case when k.kept then i.datestamp end as brought
          from pg_temp.taken c join oai.membership i on i.id = c.id,
               lateral (select before.h is null and i.seq is null
                               and coalesce(i.datestamp between before.filling and t, false)) k(kept)) x;
    analyze pg_temp.slice;
    perform oai.place_by_rules();
    insert into oai.set_move as m (id, set_id, entered)
    select distinct s.id, u.set_id, u.set_id = any (s.new_sets)
    from pg_temp.slice s, unnest(s.old_sets || s.new_sets) u(set_id)
    where s.old_seq is not null and s.old_sets <> s.new_sets
      and (u.set_id = any (s.old_sets)) <> (u.set_id = any (s.new_sets))
    on conflict on constraint set_move_pkey do update set entered = excluded.entered;
    perform oai.move_numbers();
    update oai.item i
    set seq = s.new_seq, datestamp = case when s.new_seq is not null then s.datestamp end,
        set_ids = s.new_sets
    from pg_temp.slice s where i.id = s.id;
    perform oai.note_dates(coalesce(before.h, before.filling));
    return not exists (select from pg_temp.slice where not kept);
end $$;

-- A promoted replica, and a cluster that is restored, begin a new timeline; a restored dump has another oid.
create or replace function oai.place() returns text language sql volatile as $$
    select concat_ws('/', (select system_identifier from pg_control_system()),
                     left(pg_walfile_name(pg_current_wal_lsn()), 8),
                     (select d.oid from pg_database d where d.datname = current_database()))
$$;

--- Publishes up to `records` changed items. Call it in a transaction of its own (READ COMMITTED), about once
--- a second, as `oai publish` does; rules need oai.catch_up_rules(), too.
-- Concurrent callers wait for each other at the row of oai.horizon; readers never wait. A second for which
-- there is nothing to publish is left to a loader that had the one before.
--   published  items that got a new number (or, with keep_deleted false, left the lists)
--   waiting    nothing was published: the clock has not passed the horizon, or a row of oai.fork, yet
--   lag        seconds from the horizon to the clock, after this call
--   blocked_*  an item or a set that somebody has locked, and for how long changes have waited for a lock
create or replace function oai.publish(records integer, keep_deleted boolean default true,
    out published integer, out waiting boolean, out lag double precision, out more boolean,
    out blocked_item bigint, out blocked_set integer, out blocked_seconds double precision) language plpgsql
    set jit = off set random_page_cost = 1.1 set work_mem = '64MB' as $$
declare
    before  oai.horizon;
    w       oai.walk;
    walked  oai.walk;
    taken   record;
    numbered record;
    t       timestamptz;
    is_left boolean;            -- true if the second is left to a loader
    kept    boolean := false;   -- true if all items of the slice keep the datestamps that they came with
    is_done boolean := false;
    here    text := oai.place();
begin
    perform set_config('oai.publisher', 'on', true), oai.make_slice();
    published := 0;
    more := false;
    perform set_config('lock_timeout', '10s', true);
    select * into before from oai.horizon for update;
    if not found then
        raise data_corrupted using message = 'oai.horizon has lost its row', hint = 'Restore the database '
            'from a backup: nothing else in it knows what is published.';
    end if;
    perform set_config('lock_timeout', '100ms', true);
    t := date_trunc('second', clock_timestamp()) - interval '1 second';
    if before.place <> here then
        insert into oai.fork (datestamp, seq) values (t + interval '2 seconds', before.last_seq);
        update oai.horizon set place = here;
    end if;
    waiting := coalesce(t <= before.h, false) or exists (select from oai.fork f where f.datestamp > t);
    lag := extract(epoch from clock_timestamp() - before.h);
    if waiting then return; end if;
    select * into w from oai.walk k order by k.round desc limit 1;
    if before.place <> here then   -- the numbers of transactions are those of another database
        w.upto := 0;
    end if;
    if before.ahead < t then
        insert into oai.queue (id) select i.id from oai.item i where i.seq > before.ahead_seq;
        update oai.horizon o set ahead = null, ahead_seq = null;
    end if;
    if before.h is null and before.filling is null then
        -- The first numbering: all items are queued in the order of the datestamps that they come with, which
        -- the repository may have given out before. One before the year 1, such as '-infinity', counts as
        -- none, since OAI-PMH cannot say it: the item gets that of its first publication.
        before.filling := timestamptz '0001-01-01 00:00:00Z' - interval '1 microsecond';
        create temporary table filling on commit drop as select q.id
            from (select id, min(n) as n from oai.queue group by id) q join oai.item i on i.id = q.id
            order by case when i.datestamp > before.filling then i.datestamp end nulls last, q.n;
        delete from oai.queue;
        insert into oai.queue (id) select id from filling;
        w.filling := pg_current_xact_id()::text::bigint;
    end if;
    if to_regproc('oai.turn_items') is not null then
        execute 'select oai.turn_items($1, $2)' using t + interval '1 second', publish.records;
    end if;
    if publish.keep_deleted is distinct from before.keep_deleted then
        if before.keep_deleted is not null then   -- tombstones that leave the lists, or return
            insert into oai.queue (id)
            select id from oai.item where deleted and (seq is null) = publish.keep_deleted;
        end if;
        update oai.horizon o set keep_deleted = publish.keep_deleted;
    end if;

    -- The first attempt meets a lock rarely. It is undone then, and the second one avoids locked sets. A
    -- locked table is waited for by the next round.
    walked := w;
    for attempt in case when w.blocked_set is null then 1 else 2 end .. 2 loop
        begin
            select * into taken from oai.take_changed(walked, records);
            w := taken.w;
            published := taken.taken;
            more := taken.more;
            kept := before.h is null and w.filling is not null;
            if published > 0 and attempt = 2 then
                w.blocked_set := oai.put_back_blocked();
                select count(*) into published from pg_temp.taken;
            end if;
            if published > 0 then
                kept := oai.number_slice(before, t, publish.keep_deleted);
            end if;
            if before.h is not null then   -- packs many chunks if there is little to publish
                select * into w.packed_set, w.packed_seq, w.packed_from
                from oai.merge_chunks(w.packed_set, w.packed_seq, w.packed_from, before.last_seq,
                                      case when published < records / 4 then 2000 else 500 end);
                w := oai.move_chunks(w, case when published < records / 4 then 64 else 8 end);
            end if;
            if published > 0 then perform oai.meet_requirements(); end if;
            is_done := true;
            exit;
        exception when lock_not_available then
            w := walked;
            published := 0;
            more := false;
            kept := false;
        end;
    end loop;
    w := oai.note_blocked(w, t, not is_done);
    delete from oai.walk k where k.round = w.round;   -- not UPDATE, which would name every column
    w.round := w.round + 1;
    insert into oai.walk select w.*;
    select greatest(before.last_seq, max(s.new_seq)) as last_seq, max(s.datestamp) as latest,
           count(s.new_seq) - count(s.old_seq) as entered into numbered from pg_temp.slice s;
    if before.h is not null then   -- uses pg_temp.slice
        more := oai.follow_views(t, numbered.last_seq, records, publish.keep_deleted) or more;
    end if;
    is_left := published = 0 and coalesce(before.loaded = before.h and before.h = t - interval '1 second',
                                          false) and not exists (select from oai.view v where v.latest = t);
    update oai.horizon o
    set h = case when kept then null when is_left then before.h else t end,
        filling = case when kept then coalesce(numbered.latest, before.filling) else before.filling end,
        last_seq = numbered.last_seq, item_count = before.item_count + numbered.entered,
        place = here, published = t;
    lag := extract(epoch from clock_timestamp() - case when is_left then before.h else t end);
    blocked_item := w.blocked_item;
    blocked_set := w.blocked_set;
    blocked_seconds := extract(epoch from t - w.blocked_since);
end $$;

-- After a clock that was ahead: its datestamps become t, the last second that is over, and their items are
-- queued. Harvesters that came ask next from a second to come: what is published until then is published
-- again after it. A number that is left out tells servers that this horizon is newer.
create or replace function oai.mend_clock(out ahead timestamptz, out items bigint) language plpgsql as $$
declare
    o     oai.horizon;
    first bigint;   -- the last number before t
    v     oai.view;
    t     timestamptz := date_trunc('second', clock_timestamp()) - interval '1 second';
begin
    perform set_config('oai.publisher', 'on', true);
    select * into o from oai.horizon for update;
    if o.h is null or o.h <= t then return; end if;
    ahead := o.h;
    first := oai.seq_before(t, o.last_seq);
    update oai.item i set datestamp = t where i.seq > first and i.datestamp > t;
    insert into oai.queue (id) select i.id from oai.item i where i.seq > first and i.datestamp = t;
    get diagnostics items = row_count;
    delete from oai.calendar c where c.datestamp > t;
    insert into oai.calendar (datestamp, before) select t, first where items > 0
          and first / 16 > coalesce((select c.before / 16 from oai.calendar c order by 1 desc limit 1), -1);
    update oai.fork f set datestamp = t + interval '2 s' where f.datestamp > t + interval '2 s';
    for v in select w.* from oai.view w where w.latest > t loop
        perform set_config('oai.view', v.name, true);
        first := oai_view.seq_before(t, v.last_seq);
        update oai.view_item i set datestamp = t where i.view = v.id and i.seq > first and i.datestamp > t;
        delete from oai.view_calendar c where c.view = v.id and c.datestamp > t;
        insert into oai.view_calendar select v.id, t, first
        where first / 16 > coalesce((select c.before / 16 from oai.view_calendar c where c.view = v.id
                                     order by c.datestamp desc limit 1), -1);
        update oai.view w set latest = t where w.id = v.id;
    end loop;
    update oai.horizon r set h = t, last_seq = o.last_seq + 1, loaded = null, published = t,
        ahead = greatest(o.ahead, o.h), ahead_seq = least(o.ahead_seq, o.last_seq + 1);
end $$;
