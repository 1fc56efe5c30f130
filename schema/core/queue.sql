-- SPDX-License-Identifier: MIT
-- A round of the publisher looks at a bounded number of entries of the queue, whatever is locked or not yet
-- committed, and a transaction that changed a few items does not wait behind one that changed a million:
--   - A transaction notes its batch in oai.batch. The publisher sees the note when the transaction commits;
--     entries that are not yet committed cost it nothing.
--   - Each round looks first at the beginning of each batch that is new, and then goes on with long ones.
--   - An entry whose item is locked by a writer is set aside into batch 0, which each round looks at in part.
--     Entries that are written without the trigger are there, too.

-- Runs before every INSERT into oai.queue, since whoever writes may have changed the setting.
create or replace function oai.open_batch() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare own constant text := pg_current_xact_id();
begin
    insert into oai.batch (id) values (own::bigint) on conflict do nothing;
    perform set_config('oai.batch', own, true);
    return null;
end $$;
create or replace trigger open_batch before insert on oai.queue
    for each statement execute function oai.open_batch();

-- Finds the batches that have committed since the last round, 5,000 at most: those of transactions that were
-- open in the last snapshot (awaited), and of later ones. Selects into pg_temp.candidate about `records`
-- entries: of each new batch up to a quarter of that, then more of those that were begun. The first numbering
-- goes before all others, since it has an order.
create or replace function oai.select_candidates(inout w oai.walk, records integer)
language plpgsql set enable_seqscan = off as $$
declare
    most     constant integer := case when w.upto > 0 then 5000 end;
    share    constant integer := least(greatest(records / 4, 100), (records + 1) / 2);
    filling  boolean;
    fresh    bigint[] := '{}';
    selected integer := 0;
    closed   bigint[];
begin
    if most is null or cardinality(w.ready) <= most then
        with later as materialized (
            select b.id from oai.batch b where b.id >= w.upto order by b.id limit most)
        select case when count(*) = most then max(l.id) + 1
                    else pg_snapshot_xmax(pg_current_snapshot())::text::bigint end,   -- of this statement
               array(select x::text::bigint from pg_snapshot_xip(pg_current_snapshot()) x
                     union all select pg_current_xact_id()::text::bigint),   -- may note more
               array(select b.id from oai.batch b where b.id = any (w.awaited) union
                     select o.id from later o except select unnest(w.ready) order by 1)
        into w.upto, w.awaited, fresh from later l;
    end if;
    w.ready := w.ready || fresh;
    w.ready_after := w.ready_after || array_fill(0::bigint, array[cardinality(fresh)]);
    filling := coalesce(w.filling = any (w.ready), false);
    if not filling then
        -- Not sorted, as a sort would read the entries of all batches: rows come in the arrays' order.
        insert into pg_temp.candidate (batch, n, id)
        select b.id, e.n, e.id
        from unnest(w.ready, w.ready_after) b(id, after),
             lateral (select q.n, q.id from oai.queue q where q.batch = b.id order by q.n limit share) e
        where b.after = 0
        limit case when 0 < any (w.ready_after) then records - share else records end;
        get diagnostics selected = row_count;
    end if;
    insert into pg_temp.candidate (batch, n, id)
    select b.id, e.n, e.id
    from (select b.id, greatest(b.after, c.last) as after
          from unnest(w.ready, w.ready_after) with ordinality b(id, after, o)
               left join (select c.batch, max(c.n) as last from pg_temp.candidate c group by 1) c
               on c.batch = b.id
          where case when filling then b.id = w.filling else greatest(b.after, c.last) > 0 end
          order by b.after = 0, b.o) b,
         lateral (select q.n, q.id from oai.queue q where q.batch = b.id and q.n > b.after
                  order by q.n limit records - selected) e
    limit records - selected;
    select coalesce(array_agg(x.id order by x.o) filter (where x.more), '{}'),
           coalesce(array_agg(x.after order by x.o) filter (where x.more), '{}'),
           array_agg(x.id) filter (where not x.more)
    into w.ready, w.ready_after, closed
    from (select b.id, b.o, greatest(b.after, c.last) as after,
                 exists (select from oai.queue q
                         where q.batch = b.id and q.n > greatest(b.after, c.last)) as more
          from unnest(w.ready, w.ready_after) with ordinality b(id, after, o)
               left join (select c.batch, max(c.n) as last from pg_temp.candidate c group by 1) c
               on c.batch = b.id) x;
    delete from oai.batch b where b.id = any (closed);
    if w.filling <> all (w.ready) then w.filling := null; end if;
end $$;

-- Moves up to `records` changed items into pg_temp.taken. Entries leave the queue BEFORE number_slice() reads
-- the items, so that a change which is committed in between is either seen there or still queued.
create or replace function oai.take_changed(inout w oai.walk, records integer, out taken integer,
    out more boolean) language plpgsql set enable_seqscan = off as $$
declare
    aside_records integer;
    looked        bigint[];
    free          bigint[];
    locked        bigint[];
    aside         record;
begin
    w := oai.select_candidates(w, records);

    -- Batch 0, from where the last round ended; now and then anew, for entries that were put there by hand.
    if w.round % 100 = 0 or w.aside_after > (select s.last_value from oai.queue_n_seq s) then
        w.aside_after := 0;
    end if;
    aside_records := case when w.filling is null
        then least(greatest(records - (select count(*) from pg_temp.candidate), records / 5, 100), 20000)
            else 0 end;
    insert into pg_temp.candidate (batch, n, id)
    select 0, q.n, q.id from oai.queue q where q.batch = 0 and q.n > w.aside_after
    order by q.n limit aside_records;

    looked := array(select distinct c.id from pg_temp.candidate c);
    -- Otherwise the planner would estimate each of 10,000 elements, which takes longer than to look them up.
    perform set_config('plan_cache_mode', 'force_generic_plan', true);
    free := array(select i.id from oai.item i where i.id = any (looked) for no key update of i skip locked);
    with entry as (delete from oai.queue q where q.id = any (free) returning q.n, q.id)
    insert into pg_temp.taken (id, n) select id, min(n) from entry group by id;
    get diagnostics taken = row_count;
    looked := array(select unnest(looked) except select unnest(free));
    if cardinality(looked) > 0 then
        locked := array(select i.id from oai.item i where i.id = any (looked));
        looked := array(select unnest(looked) except select unnest(locked));   -- items that are gone
        delete from oai.queue q where q.id = any (looked);
        update oai.queue q set batch = 0, n = default where q.id = any (locked) and q.batch <> 0;
    end if;
    perform set_config('plan_cache_mode', 'auto', true);

    -- After the last entry of batch 0 comes the first one that stayed.
    select count(*) as looked, max(c.n) as last, min(c.n) filter (where l.id is not null) as stayed into aside
    from pg_temp.candidate c left join unnest(locked) l(id) on l.id = c.id where c.batch = 0;
    w.aside_first := least(w.aside_first, aside.stayed);
    w.aside_after := coalesce(aside.last, w.aside_after);
    more := aside.looked = aside_records and aside_records > 0;
    if not more then
        w.aside_after := coalesce(w.aside_first - 1, w.aside_after);
        w.aside_first := null;
    end if;
    more := more or cardinality(w.ready) > 0
            or exists (select from oai.batch b where b.id >= w.upto and b.id <> all (w.ready));
end $$;

-- Sets aside what belongs to sets that somebody has locked, of which it returns one, and locks the others.
create or replace function oai.put_back_blocked() returns integer language plpgsql as $$
declare
    needed  constant integer[] := array(select distinct p.id
        from pg_temp.taken t join oai.membership i on i.id = t.id, unnest(i.set_ids || i.sets_now) l(leaf),
             oai.set o, unnest(o.path) p(id) where o.id = l.leaf);
    locked  constant integer[] := array(select unnest(needed) except
        (select x.id from (
            select o.id from oai.set o where o.id = any (needed) for no key update skip locked) x));
begin
    if cardinality(locked) > 0 then
        with blocked as (delete from pg_temp.taken t using oai.membership i where i.id = t.id
              and exists (select from unnest(i.set_ids || i.sets_now) l(leaf) join oai.set o on o.id = l.leaf
                          where o.path && locked)
            returning t.id)
        insert into oai.queue (batch, id) select 0, b.id from blocked b;
    end if;
    return locked[1];
end $$;

-- What waits for a lock stays the same as long as it waits.
create or replace function oai.note_blocked(inout w oai.walk, t timestamptz, table_is_locked boolean)
language plpgsql set enable_seqscan = off as $$
begin
    if not exists (select from oai.queue q where q.batch = 0 and q.id = w.blocked_item) then
        if w.blocked_item is not null then w.blocked_since := null; end if;
        w.blocked_item := (select q.id from oai.queue q where q.batch = 0
                           and q.n > least(w.aside_after, w.aside_first - 1) order by q.n limit 1);
    end if;
    if w.blocked_item is null then w.blocked_set := null; end if;
    w.blocked_since := case when w.blocked_item is not null or table_is_locked
                            then coalesce(w.blocked_since, t) end;
    if w.blocked_since is null then w.blocked_by := null; end if;
end $$;

-- For the connection that finds out who has a lock. The row of the horizon comes last, since another
-- publisher may have it for a moment.
create or replace function oai.wait_for_blocked(item bigint, set_id integer) returns void
language plpgsql as $$
begin
    perform set_config('lock_timeout', '300ms', true);
    perform from oai.set o where o.id = set_id for no key update;
    perform from oai.item i where i.id = item for no key update;
    update oai.set set held = held where false;   -- needs nothing but the lock on the table
    update oai.set_chunk set seqs = seqs where false;
    update oai.item set seq = seq where false;
    delete from oai.queue where false;
    lock table oai.walk, oai.calendar, oai.fork, oai.rule in row exclusive mode;
    perform from oai.horizon for no key update;
end $$;

-- How many changes wait, and who has had a lock for `blocked_seconds` that some of them wait for. Counts up
-- to 1,000 entries of each of 100 batches; of longer batches by the numbers at their ends, which is no less
-- than there are. A model that has sources adds their changes, and tells of them.
create or replace function oai.queue_state(out changes bigint, out blocked_seconds bigint,
    out blocked_by text, out held bigint, out source_problems text)
language plpgsql stable set enable_seqscan = off as $$
declare w oai.walk;
begin
    select * into w from oai.walk k order by k.round desc limit 1;
    select coalesce(sum(case when b.o > 100 then 1 when e.entries < 1000 then e.entries
                             else greatest(e.entries, 1 - e.first + (
                                 select q.n from oai.queue q where q.batch = b.id order by q.n desc limit 1))
                        end), 0) into changes
    from (select x.id, x.after, row_number() over () as o
          from (select * from unnest(w.ready, w.ready_after) u(id, after) union all
                (select b.id, 0 from oai.batch b
                 where (b.id = any (w.awaited) or b.id >= w.upto) and b.id <> all (w.ready) limit 1000)
                union all
                select 0, least(w.aside_after, w.aside_first - 1)) x) b
    cross join lateral (select count(*) as entries, min(q.n) as first
        from (select q.n from oai.queue q where b.o <= 100 and q.batch = b.id and q.n > b.after
              order by q.n limit 1000) q) e;
    blocked_seconds := extract(epoch from clock_timestamp() - w.blocked_since);
    blocked_by := w.blocked_by;
    if to_regproc('oai.source_state') is not null then
        select changes + s.waiting, s.held, s.problems into changes, held, source_problems
        from oai.source_state() s;
    end if;
end $$;
