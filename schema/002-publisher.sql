-- SPDX-License-Identifier: MIT
-- Datestamps that harvesters can rely on: a single publisher gives numbers and datestamps to changed items, in short
-- transactions. The datestamp is t, the last second that is over, and it is given only if t is later than the horizon
-- h. So nothing is added any more at or before h, and a harvester that received the responseDate h + 1 and next asks
-- from that time on misses nothing.

-- Makes the temporary tables in which a slice, a batch of changed items, passes through the functions below. They are
-- temporary so that nothing of them is written to the WAL.
--   taken    the items that were taken from the queue
--   slice    for each item, what the lists hold now (old_...) and what they shall hold (new_...)
--   posting  for each set, the numbers that leave it (gone) and that are added to it (come)
create function oai.make_slice() returns void language plpgsql as $$
begin
    if to_regclass('pg_temp.slice') is null then
        create temporary table taken (id bigint, n bigint) on commit delete rows;
        create temporary table slice (
            id bigint, datestamp timestamptz, kept boolean, old_seq bigint, new_seq bigint, old_sets integer[],
            new_sets integer[]) on commit delete rows;
        create temporary table posting (set_id integer, gone integer[], come integer[]) on commit delete rows;
    end if;
end $$;

-- Fills pg_temp.posting: for every set that the items of the slice leave or enter, ancestors included, the numbers
-- that leave it and the numbers that enter it.
create function oai.collect_postings() returns void language plpgsql as $$
declare
    -- With an array, the sets are looked up one by one. A join would read the whole table of sets for every slice.
    leaves integer[] := array(select distinct unnest(s.old_sets || s.new_sets) from pg_temp.slice s);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    -- Hashed into groups and sorted set by set: most sets of a slice get a single number, which needs no sorting.
    select set_id,
           case when cardinality(gone) > 1 then array(select distinct n from unnest(gone) u(n) order by n)
                else coalesce(gone, '{}') end,
           case when cardinality(come) > 1 then array(select distinct n from unnest(come) u(n) order by n)
                else coalesce(come, '{}') end
    from (select p.set_id, array_agg(l.old_seq) filter (where l.old_seq is not null) as gone,
                 array_agg(l.new_seq) filter (where l.new_seq is not null) as come
          from (select s.old_seq::integer as old_seq, null::integer as new_seq, unnest(s.old_sets) as leaf
                from pg_temp.slice s where s.old_seq is not null
                union all
                select null, s.new_seq::integer, unnest(s.new_sets) from pg_temp.slice s where s.new_seq is not null) l
          join (select o.id, o.path from oai.set o where o.id = any (leaves) offset 0) o on o.id = l.leaf,
               unnest(o.path) p(set_id)
          group by p.set_id) x;
    analyze pg_temp.posting;
end $$;

-- Removes the old numbers of the slice from their chunks and appends the new ones: to the last chunk of the set if all
-- of them fit there, otherwise as new chunks of up to 128 numbers. No row is updated twice, since that would need room
-- for two new versions in its page.
create function oai.move_numbers() returns void language plpgsql as $$
begin
    perform oai.collect_postings();
    update oai.set s set item_count = s.item_count + cardinality(p.come) - cardinality(p.gone)
    from pg_temp.posting p where s.id = p.set_id and cardinality(p.come) <> cardinality(p.gone);
    with place as materialized (   -- so that each number is looked up only once
        select p.set_id, k.first_seq, k.seqs, u.seq
        from pg_temp.posting p, unnest(p.gone) u(seq),
             lateral (select k.first_seq, k.seqs from oai.set_chunk k
                      where k.set_id = p.set_id and k.first_seq <= u.seq order by k.first_seq desc limit 1) k),
    gone as (
        select set_id, first_seq, max(seqs) as seqs, array_agg(seq) as gone from place group by 1, 2),
    kept as (
        select set_id, first_seq,
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])   -- the usual case, and faster
                    else array(select n from unnest(seqs) with ordinality u(n, o) where n <> all (gone) order by o)
               end as seqs
        from gone),
    come as (
        select p.set_id, p.come, k.first_seq, k.seqs
        from pg_temp.posting p left join lateral (
            select k.first_seq, k.seqs from oai.set_chunk k
            where k.set_id = p.set_id order by k.first_seq desc limit 1) k
        on cardinality(k.seqs) + cardinality(p.come) <= 128
        where p.come <> '{}'),
    changed as (
        select set_id, first_seq, coalesce(kept.seqs, t.seqs) || coalesce(t.come, '{}') as seqs
        from kept full join (select * from come where first_seq is not null) t using (set_id, first_seq)),
    emptied as (
        delete from oai.set_chunk k using changed c
        where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) = 0),
    added as (
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select c.set_id, c.come[i], c.come[i : i + 127]
        from come c, generate_series(1, cardinality(c.come), 128) i
        where c.first_seq is null)
    update oai.set_chunk k set seqs = c.seqs from changed c
    where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) > 0;
end $$;

-- Moves up to `records` changed items from the queue into pg_temp.taken and returns how many. Items whose row is
-- locked by a writer are skipped: they stay in the queue, and are taken by a later call. Entries leave the queue
-- BEFORE number_slice() reads the items, so that a change which is committed in between is either seen there or still
-- queued.
create function oai.take_changed(records integer) returns integer language plpgsql as $$
declare
    ids   bigint[];
    taken integer;
begin
    select array_agg(x.id) into ids
    from (select q.id from oai.queue q join oai.item i on i.id = q.id
          order by q.n limit records for no key update of i skip locked) x;
    -- Otherwise the planner would estimate each of ten thousand array elements, which takes longer than to look them
    -- up.
    perform set_config('plan_cache_mode', 'force_generic_plan', true);
    with entry as (delete from oai.queue q where q.id = any (ids) returning q.n, q.id)
    insert into pg_temp.taken (id, n) select id, min(n) from entry group by id;
    get diagnostics taken = row_count;
    perform set_config('plan_cache_mode', 'auto', true);
    if taken < records then
        delete from oai.queue q where not exists (select from oai.item i where i.id = q.id);   -- items that are gone
    end if;
    return taken;
end $$;

-- Begins the first numbering: queues all items in the order of the datestamps that they come with, which the
-- repository may have given out before.
create function oai.begin_filling() returns void language plpgsql as $$
begin
    create temporary table filling on commit drop as
        select q.id from (select id, min(n) as n from oai.queue group by id) q join oai.item i on i.id = q.id
        order by i.datestamp nulls last, q.n;
    delete from oai.queue;
    insert into oai.queue (id) select id from filling;
    update oai.horizon set filling = '-infinity';
end $$;

-- Applies a change of the deletion policy: queues the tombstones that leave the lists (keep is false) or come back
-- into them.
create function oai.apply_policy(keep boolean) returns void language plpgsql as $$
begin
    if (select keep_deleted is not null from oai.horizon) then
        insert into oai.queue (id) select id from oai.item where deleted and (seq is null) = keep;
    end if;
    update oai.horizon set keep_deleted = keep;
end $$;

-- Gives the items in pg_temp.taken their numbers and datestamps, and writes these to the sets and the items. The
-- datestamp is t; but during the first numbering an item that comes with a datestamp keeps it if the order of the list
-- allows that. Returns true if all items of the slice kept theirs.
create function oai.number_slice(before oai.horizon, t timestamptz, keep_deleted boolean) returns boolean
language plpgsql as $$
begin
    analyze pg_temp.taken;
    insert into pg_temp.slice
    select x.id, case when x.kept then date_trunc('second', x.brought) else t end, x.kept, x.seq,
           case when x.listed then before.last_seq + row_number() over (order by x.listed desc, x.kept desc, x.brought, x.n) end,
           x.set_ids,
           case when x.deleted and x.set_ids <> '{}' then x.set_ids else x.sets_now end
    from (select c.id, c.n, i.seq, i.set_ids, i.sets_now, i.deleted, number_slice.keep_deleted or not i.deleted as listed,
                 k.kept, case when k.kept then i.datestamp end as brought
          from pg_temp.taken c join oai.membership i on i.id = c.id,
               lateral (select before.h is null and i.seq is null
                               and coalesce(i.datestamp between before.filling and t, false)) k(kept)) x;
    analyze pg_temp.slice;
    perform oai.move_numbers();
    update oai.item i
    set seq = s.new_seq, datestamp = case when s.new_seq is not null then s.datestamp end, set_ids = s.new_sets
    from pg_temp.slice s where i.id = s.id;
    return not exists (select from pg_temp.slice where not kept);
end $$;

-- Writes to oai.calendar where the datestamps of the slice begin. A datestamp that an earlier slice of the first
-- numbering gave out as well began there, and is left out.
create function oai.note_datestamps(before oai.horizon) returns void language plpgsql as $$
#variable_conflict use_column
begin
    insert into oai.calendar (datestamp, before)
    select distinct on (b.before / 16) b.datestamp, b.before
    from (select s.datestamp, min(s.new_seq) - 1 as before from pg_temp.slice s
          where s.new_seq is not null
            and s.datestamp > coalesce(note_datestamps.before.h, note_datestamps.before.filling)
          group by s.datestamp) b
    where b.before / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc limit 1), -1)
    order by b.before / 16, b.before;
end $$;

-- Identifies this database, by the cluster, the timeline and the oid of the database. A promoted replica, and a
-- cluster that is restored to a point in time, begin a new timeline; a restored dump has another oid.
create function oai.place() returns text language sql volatile as $$
    select concat_ws('/', (select system_identifier from pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
                     (select d.oid from pg_database d where d.datname = current_database()))
$$;

-- Publishes up to `records` changed items. Call it in a transaction of its own (READ COMMITTED), about once a second:
--   published  items that got a new number (or, with keep_deleted false, left the lists)
--   waiting    true if nothing was published because the clock has not passed the horizon, or the second of a row of
--              oai.fork, yet
--   lag        seconds from the horizon to the clock, after this call
-- Concurrent callers wait for each other at the row of oai.horizon; readers never wait.
create function oai.publish(records integer, keep_deleted boolean default true,
                            out published integer, out waiting boolean, out lag double precision)
language plpgsql as $$
declare
    before oai.horizon;
    t      timestamptz;
    kept   boolean := false;   -- true if all items of the slice keep the datestamps that they came with
    here   text := oai.place();
begin
    perform set_config('oai.publisher', 'on', true);
    perform set_config('jit', 'off', true);   -- compiling a statement takes longer than running any of those below
    perform set_config('random_page_cost', '1.1', true);   -- favours index scans
    perform set_config('work_mem', '64MB', true);
    perform oai.make_slice();
    published := 0;
    select * into before from oai.horizon for update;
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
    if before.h is null and before.filling is null then
        perform oai.begin_filling();
        before.filling := '-infinity';
    end if;
    if publish.keep_deleted is distinct from before.keep_deleted then
        perform oai.apply_policy(publish.keep_deleted);
    end if;

    published := oai.take_changed(records);
    if published > 0 then
        kept := oai.number_slice(before, t, publish.keep_deleted);
        perform oai.note_datestamps(before);
    end if;
    update oai.horizon o
    set h = case when kept then null else t end,
        filling = case when kept then (select max(datestamp) from pg_temp.slice) else before.filling end,
        last_seq = greatest(before.last_seq, (select max(new_seq) from pg_temp.slice)),
        item_count = before.item_count + (select count(new_seq) - count(old_seq) from pg_temp.slice),
        place = here;
    lag := extract(epoch from clock_timestamp() - t);
end $$;

-- Returns one row for each error in the chunks and counters; none if all is well. Reads everything: meant for `oai
-- check`.
create function oai.check_chunks() returns table (set_id integer, first_seq bigint, problem text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with posting as (
        select k.set_id, k.first_seq, u.seq, u.o,
               lag(u.seq) over (partition by k.set_id order by k.first_seq, u.o) as previous
        from oai.set_chunk k, unnest(k.seqs) with ordinality u(seq, o)),
    member as (
        select distinct p.set_id, i.seq
        from oai.item i, unnest(i.set_ids) l(leaf) join oai.set o on o.id = l.leaf, unnest(o.path) p(set_id)
        where i.seq is not null)
    select p.set_id, p.first_seq, format('number %s follows %s', p.seq, p.previous) from posting p where p.seq <= p.previous
    union all
    select p.set_id, p.first_seq, format('number %s is below first_seq', p.seq) from posting p where p.seq < p.first_seq
    union all
    select k.set_id, k.first_seq, 'is empty' from oai.set_chunk k where cardinality(k.seqs) = 0
    union all
    select k.set_id, k.first_seq, 'has more than 128 numbers' from oai.set_chunk k where cardinality(k.seqs) > 128
    union all
    select coalesce(p.set_id, m.set_id), p.first_seq,
           case when p.seq is null then format('number %s is missing', m.seq)
                else format('number %s belongs to no item of the set', p.seq) end
    from posting p full join member m on m.set_id = p.set_id and m.seq = p.seq
    where p.seq is null or m.seq is null
    union all
    select s.id, null, format('item_count is %s, but %s items belong to it', s.item_count, count(m.seq))
    from oai.set s left join member m on m.set_id = s.id group by s.id having s.item_count <> count(m.seq)
    union all
    select null, null, format('oai.horizon.item_count is %s, but %s items are published', o.item_count,
                              (select count(*) from oai.item where seq is not null))
    from oai.horizon o where o.item_count <> (select count(*) from oai.item where seq is not null);
end $$;

-- Returns the share of the publication numbers that is used up, since chunks hold int4: alarm at 0.5; at 1 nothing
-- more can be published.
create function oai.numbers_used() returns double precision language sql stable as $$
    select last_seq / 2147483647.0 from oai.horizon
$$;
