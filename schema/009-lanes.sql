-- SPDX-License-Identifier: MIT
-- The publisher's queue in batches, one for each transaction that changes items. A round looks at a bounded number of
-- entries, whatever is locked or not yet committed, and a transaction that changed a few items does not wait behind one
-- that changed a million:
--   - A transaction notes its batch in oai.batch. The publisher sees the note when the transaction commits, and reads the
--     entries of such batches only; entries that are not yet committed cost it nothing.
--   - Each round looks first at batches that are new, at the beginning of each, and then goes on with long ones.
--   - An entry whose item is locked by a writer is set aside into batch 0, which each round looks at in part.

-- The row of a transaction that queued items. Written by the trigger open_batch, removed by the publisher.
create table oai.batch (
    id          bigint generated always as identity primary key,
    transaction xid8 not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.2);

-- Entries from before this file belong to batch 0, and so do those that are written without the trigger.
alter table oai.queue add column batch bigint not null default 0;
alter table oai.queue alter batch set default coalesce(nullif(current_setting('oai.batch', true), '')::bigint, 0);
alter table oai.queue drop constraint queue_pkey, add primary key (batch, n);

-- What the publisher has looked at: a single row, which each round writes anew. It is found by its round, as the horizon
-- is by its h: while a long transaction keeps old rows, the index leads past them.
create table oai.walk (
    round         bigint not null,
    seen          bigint not null default 0,      -- batches up to this id were looked for
    awaited       bigint[] not null default '{}', -- those of them that were not committed then
    awaited_since xid8[] not null default '{}',   -- for each: a transaction that began later; null: not known yet
    ready         bigint[] not null default '{}', -- committed batches that may have more entries
    ready_after   bigint[] not null default '{}', -- for each: entries up to this n were looked at; 0: none
    filling       bigint,                         -- the batch of the first numbering, which goes before all others
    aside_after   bigint not null default 0,      -- batch 0 was looked at up to this n
    aside_first   bigint,                         -- first entry of batch 0 that stayed there since its beginning was looked at
    -- What waits for somebody's lock: an item, a set, or neither of them if it is a table; since when; and who has the
    -- lock, in the words of the publisher.
    blocked_item  bigint,
    blocked_set   integer,
    blocked_since timestamptz,
    blocked_by    text
);
create unique index walk_newest on oai.walk (round desc);
insert into oai.walk (round) values (0);

-- Runs before every INSERT into oai.queue: gives the transaction a batch, unless it has one. The setting alone would not
-- prove that it is this transaction's. The transaction gets its number before the batch gets its id, and the publisher
-- relies on that (oai.find_batches).
create function oai.open_batch() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
    own   xid8   := pg_current_xact_id();
    batch bigint := nullif(current_setting('oai.batch', true), '');
begin
    if batch is null or not exists (select from oai.batch b where b.id = batch and b.transaction = own) then
        insert into oai.batch (transaction) values (own) returning id into batch;
        perform set_config('oai.batch', batch::text, true);
    end if;
    return null;
end $$;
create trigger open_batch before insert on oai.queue for each statement execute function oai.open_batch();

-- As in 002-publisher.sql, with the tables that oai.take_changed() needs.
--   candidate  entries of the queue that this round looks at
--   taken      the items that were taken from the queue
--   slice      for each item, what the lists hold now (old_...) and what they shall hold (new_...)
--   posting    for each set, the numbers that leave it (gone) and that are added to it (come)
create or replace function oai.make_slice() returns void language plpgsql as $$
begin
    if to_regclass('pg_temp.candidate') is null then
        create temporary table candidate (batch bigint, n bigint, id bigint) on commit delete rows;
    end if;
    if to_regclass('pg_temp.slice') is null then
        create temporary table taken (id bigint, n bigint) on commit delete rows;
        create temporary table slice (
            id bigint, datestamp timestamptz, kept boolean, old_seq bigint, new_seq bigint, old_sets integer[],
            new_sets integer[]) on commit delete rows;
        create temporary table posting (set_id integer, gone integer[], come integer[]) on commit delete rows;
    end if;
end $$;

-- Looks for batches that have committed since the last round, and adds them to w.ready. Looks for 10,000 batches at most.
-- A batch that cannot be seen belongs to a transaction that has not ended yet, or that was rolled back. It is looked for
-- again until all transactions have ended that began before a later round of the publisher (awaited_since). Its own is
-- one of them, because it had its number before the batch got its id. If it still cannot be seen, it was rolled back.
create function oai.find_batches(inout w oai.walk) language plpgsql set enable_seqscan = off as $$
declare
    own     constant xid8     := pg_current_xact_id();
    probed  constant bigint[] := w.awaited[1 : 5000];
    since   constant xid8[]   := w.awaited_since[1 : 5000];
    last    bigint;
    upto    bigint;
    oldest  xid8;
    visible bigint[];
begin
    select case when s.is_called then s.last_value else 0 end into last from oai.batch_id_seq s;
    if last < w.seen then   -- somebody has set the sequence back
        w.seen := 0;
    end if;
    upto := case when cardinality(w.ready) > 5000 then w.seen else least(last, w.seen + 5000) end;
    select pg_snapshot_xmin(pg_current_snapshot()),   -- in the same statement, hence of the same snapshot
           array(select b.id from oai.batch b where b.id = any (probed) order by 1)
           || array(select b.id from oai.batch b where b.id > w.seen and b.id <= upto order by 1)
    into oldest, visible;
    select coalesce(array_agg(x.id), '{}'), coalesce(array_agg(x.since), '{}') into w.awaited, w.awaited_since
    from (select u.id, u.since from unnest(w.awaited[5001 :], w.awaited_since[5001 :]) u(id, since)
          union all
          select u.id, coalesce(u.since, own)
          from unnest(probed, since) u(id, since) left join unnest(visible) v(id) using (id)
          where v.id is null and (u.since is null or u.since > oldest)
          union all
          select g.id, null from generate_series(w.seen + 1, upto) g(id) left join unnest(visible) v(id) using (id)
          where v.id is null) x;
    -- Batches of which nothing was looked at yet go before those that were begun.
    select coalesce(array_agg(x.id order by x.after > 0, x.o), '{}'), coalesce(array_agg(x.after order by x.after > 0, x.o), '{}')
    into w.ready, w.ready_after
    from unnest(w.ready || visible, w.ready_after || array_fill(0::bigint, array[cardinality(visible)]))
         with ordinality x(id, after, o);
    w.seen := greatest(w.seen, upto);
end $$;

-- Selects into pg_temp.candidate the entries that this round looks at, about `records` of them: of each new batch up to a
-- quarter of that, then more of those that were begun. The first numbering goes before all others, since it has an order.
create function oai.select_candidates(w oai.walk, records integer) returns void language plpgsql set enable_seqscan = off as $$
declare
    share    constant integer := least(greatest(records / 4, 100), (records + 1) / 2);
    filling  constant boolean := coalesce(w.filling = any (w.ready), false);
    selected integer := 0;
    found    integer;
    begun    record;
begin
    if not filling then
        -- Not sorted, because a sort would read the entries of all batches: rows come in the order of the arrays.
        insert into pg_temp.candidate (batch, n, id)
        select b.id, e.n, e.id
        from unnest(w.ready, w.ready_after) b(id, after),
             lateral (select q.n, q.id from oai.queue q where q.batch = b.id order by q.n limit share) e
        where b.after = 0
        limit case when 0 < any (w.ready_after) then records - share else records end;
        get diagnostics selected = row_count;
    end if;
    for begun in
        select b.id, greatest(b.after, c.last) as after
        from unnest(w.ready, w.ready_after) with ordinality b(id, after, o)
             left join (select c.batch, max(c.n) as last from pg_temp.candidate c group by 1) c on c.batch = b.id
        where case when filling then b.id = w.filling else greatest(b.after, c.last) > 0 end
        order by b.after = 0, b.o
    loop
        exit when selected >= records;
        insert into pg_temp.candidate (batch, n, id)
        select begun.id, q.n, q.id from oai.queue q where q.batch = begun.id and q.n > begun.after
        order by q.n limit records - selected;
        get diagnostics found = row_count;
        selected := selected + found;
    end loop;
end $$;

-- Keeps in w.ready the batches that have entries beyond those in pg_temp.candidate, and removes the others.
create function oai.close_batches(inout w oai.walk) language plpgsql set enable_seqscan = off as $$
declare
    closed bigint[];
begin
    select coalesce(array_agg(x.id order by x.o) filter (where x.more), '{}'),
           coalesce(array_agg(x.after order by x.o) filter (where x.more), '{}'),
           array_agg(x.id) filter (where not x.more)
    into w.ready, w.ready_after, closed
    from (select b.id, b.o, greatest(b.after, c.last) as after,
                 exists (select from oai.queue q where q.batch = b.id and q.n > greatest(b.after, c.last)) as more
          from unnest(w.ready, w.ready_after) with ordinality b(id, after, o)
               left join (select c.batch, max(c.n) as last from pg_temp.candidate c group by 1) c on c.batch = b.id) x;
    delete from oai.batch b where b.id = any (closed);
    if w.filling <> all (w.ready) then
        w.filling := null;
    end if;
end $$;

-- Moves up to about `records` changed items from the queue into pg_temp.taken and returns how many; `more` says whether
-- there are committed changes that this round did not look at. Items whose row is locked by a writer are set aside into
-- batch 0. Entries leave the queue BEFORE number_slice() reads the items, so that a change which is committed in between
-- is either seen there or still queued.
drop function oai.take_changed(integer);
create function oai.take_changed(inout w oai.walk, records integer, out taken integer, out more boolean)
language plpgsql set enable_seqscan = off as $$
declare
    aside_records integer;
    looked        bigint[];
    free          bigint[];
    locked        bigint[];
    aside         record;
begin
    w := oai.find_batches(w);
    perform oai.select_candidates(w, records);
    w := oai.close_batches(w);

    -- Batch 0, from where the last round ended; now and then from its beginning, in case that somebody put an entry there
    -- by hand.
    if w.round % 100 = 0 or w.aside_after > (select s.last_value from oai.queue_n_seq s) then
        w.aside_after := 0;
    end if;
    aside_records := case when w.filling is null
        then least(greatest(records - (select count(*) from pg_temp.candidate), records / 5, 100), 20000) else 0 end;
    insert into pg_temp.candidate (batch, n, id)
    select 0, q.n, q.id from oai.queue q where q.batch = 0 and q.n > w.aside_after order by q.n limit aside_records;

    looked := array(select distinct c.id from pg_temp.candidate c);
    -- Otherwise the planner would estimate each of ten thousand array elements, which takes longer than to look them
    -- up.
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
            or w.seen < (select case when s.is_called then s.last_value else 0 end from oai.batch_id_seq s);
end $$;

-- Puts those items of pg_temp.taken back into the queue, into batch 0, that belong to sets whose rows are locked by
-- somebody, and locks the other sets. Returns one of the locked sets; null: there is none.
create function oai.put_back_blocked() returns integer language plpgsql as $$
declare
    needed  constant integer[] := array(
        select distinct p.id from pg_temp.taken t join oai.membership i on i.id = t.id, unnest(i.set_ids || i.sets_now) l(leaf),
             oai.set o, unnest(o.path) p(id) where o.id = l.leaf);
    locked  constant integer[] := array(
        select unnest(needed) except
        (select x.id from (select o.id from oai.set o where o.id = any (needed) for no key update skip locked) x));
begin
    if cardinality(locked) > 0 then
        with blocked as (
            delete from pg_temp.taken t using oai.membership i
            where i.id = t.id and exists (select from unnest(i.set_ids || i.sets_now) l(leaf) join oai.set o on o.id = l.leaf
                                          where o.path && locked)
            returning t.id)
        insert into oai.queue (batch, id) select 0, b.id from blocked b;
    end if;
    return locked[1];
end $$;

-- Takes and publishes a slice: the part of a round that may meet locks. `kept` says whether all items keep the datestamps
-- that they came with (the first numbering); `avoid` whether to look for sets that are locked.
create function oai.publish_slice(inout w oai.walk, before oai.horizon, t timestamptz, records integer, keep_deleted boolean,
                                  avoid boolean, out published integer, out kept boolean, out more boolean)
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
end $$;

-- Publishes up to about `records` changed items. Call it in a transaction of its own (READ COMMITTED), about once a second:
--   published       items that got a new number (or, with keep_deleted false, left the lists)
--   waiting         true if nothing was published because the clock has not passed the horizon, or the second of a row of
--                   oai.fork, yet
--   lag             seconds from the horizon to the clock, after this call
--   more            true if there are committed changes that this call did not look at
--   blocked_item, blocked_set, blocked_seconds
--                   an item, or a set, that waits for a lock of somebody else, and for how long something has waited;
--                   both null and a time: a table. All null: nothing waits.
-- Concurrent callers wait for each other at the row of oai.horizon; readers never wait. While that row is held the call
-- waits for no other lock longer than 0.1 s: what is locked is left for a later round.
drop function oai.publish(integer, boolean);
create function oai.publish(records integer, keep_deleted boolean default true, out published integer, out waiting boolean,
                            out lag double precision, out more boolean, out blocked_item bigint, out blocked_set integer,
                            out blocked_seconds double precision)
language plpgsql as $$
declare
    before  oai.horizon;
    w       oai.walk;
    slice   record;
    t       timestamptz;
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
    update oai.horizon o
    set h = case when kept then null else t end,
        filling = case when kept then coalesce((select max(datestamp) from pg_temp.slice), before.filling) else before.filling end,
        last_seq = greatest(before.last_seq, (select max(new_seq) from pg_temp.slice)),
        item_count = before.item_count + (select count(new_seq) - count(old_seq) from pg_temp.slice),
        place = here;
    lag := extract(epoch from clock_timestamp() - t);
    blocked_item := w.blocked_item;
    blocked_set := w.blocked_set;
    blocked_seconds := extract(epoch from t - w.blocked_since);
end $$;

-- Notes in w what waits for a lock: the same as before as long as it waits, else the first entry of batch 0.
create function oai.note_blocked(inout w oai.walk, t timestamptz, table_is_locked boolean)
language plpgsql set enable_seqscan = off as $$
begin
    if w.blocked_item is not null and not exists (select from oai.queue q where q.batch = 0 and q.id = w.blocked_item) then
        w.blocked_item := null;
        w.blocked_since := null;
    end if;
    if w.blocked_item is null then
        select q.id into w.blocked_item from oai.queue q
        where q.batch = 0 and q.n > least(w.aside_after, w.aside_first - 1) order by q.n limit 1;
    end if;
    if w.blocked_item is null then
        w.blocked_set := null;
    end if;
    w.blocked_since := case when w.blocked_item is not null or table_is_locked then coalesce(w.blocked_since, t) end;
    if w.blocked_since is null then
        w.blocked_by := null;
    end if;
end $$;

-- Returns how many changes are waiting to be published, and who has had a lock for `blocked_seconds` that some of them
-- wait for. Counts up to 1,000 entries of each of 100 batches; of longer batches by the numbers at their ends, which is
-- no less than there are. Entries that are not yet committed cost nothing.
create function oai.queue_state(out changes bigint, out blocked_seconds bigint, out blocked_by text)
language plpgsql stable set enable_seqscan = off as $$
declare
    w     oai.walk;
    batch record;
    part  record;
begin
    select * into w from oai.walk k order by k.round desc limit 1;
    changes := 0;
    for batch in
        select x.id, x.after, row_number() over () as o
        from (select * from unnest(w.ready, w.ready_after) u(id, after)
              union all
              (select b.id, 0 from oai.batch b where b.id = any (w.awaited[1 : 1000]))
              union all
              (select b.id, 0 from oai.batch b where b.id > w.seen and b.id <= w.seen + 1000)
              union all
              select 0, least(w.aside_after, w.aside_first - 1)) x
    loop
        if batch.o > 100 then
            changes := changes + 1;
            continue;
        end if;
        select count(*) as entries, min(q.n) as first into part
        from (select q.n from oai.queue q where q.batch = batch.id and q.n > batch.after order by q.n limit 1000) q;
        changes := changes + case when part.entries < 1000 then part.entries
            else greatest(part.entries, (select q.n from oai.queue q where q.batch = batch.id order by q.n desc limit 1) - part.first + 1) end;
    end loop;
    blocked_seconds := extract(epoch from clock_timestamp() - w.blocked_since);
    blocked_by := w.blocked_by;
end $$;

-- For the connection of the publisher that finds out who has a lock: waits for it, 0.3 s at most. The row of the horizon
-- comes last, since another publisher may have it for a moment.
create function oai.wait_for_blocked(item bigint, set_id integer) returns void language plpgsql as $$
begin
    perform set_config('lock_timeout', '300ms', true);
    perform from oai.set o where o.id = set_id for no key update;
    perform from oai.item i where i.id = item for no key update;
    update oai.set set held = held where false;   -- needs nothing but the lock on the table
    update oai.set_chunk set seqs = seqs where false;
    update oai.item set seq = seq where false;
    delete from oai.queue where false;
    perform from oai.horizon for no key update;
end $$;

-- A first numbering that is under way goes on in its order: the entries are its batch.
do $$
declare
    begun bigint;
begin
    if (select h is null and filling is not null from oai.horizon) then
        insert into oai.batch (transaction) values (pg_current_xact_id()) returning id into begun;
        update oai.queue set batch = begun;
        update oai.walk set seen = begun, filling = begun, ready = array[begun], ready_after = '{0}';
    end if;
end $$;

revoke execute on function oai.open_batch, oai.find_batches, oai.select_candidates, oai.close_batches, oai.take_changed,
    oai.put_back_blocked, oai.publish_slice, oai.publish, oai.note_blocked, oai.queue_state, oai.wait_for_blocked from public;
grant execute on function oai.find_batches, oai.select_candidates, oai.close_batches, oai.take_changed, oai.put_back_blocked,
    oai.publish_slice, oai.publish, oai.note_blocked, oai.queue_state, oai.wait_for_blocked to oai_publisher;
grant execute on function oai.queue_state to oai_reader;
grant select on oai.batch, oai.walk, oai.batch_id_seq, oai.queue_n_seq to oai_reader, oai_publisher;
grant delete on oai.batch to oai_publisher;
grant insert, update, delete on oai.walk to oai_publisher;
grant update (batch, n) on oai.queue to oai_publisher;
