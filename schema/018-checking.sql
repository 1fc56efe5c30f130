-- SPDX-License-Identifier: MIT
-- oai.check_calendar() and oai.check_items() for repositories of any size: each reads items in the order of their numbers, once,
-- and keeps nothing of them. What 003-reader.sql asked was a binary search for each datestamp.

-- Returns the datestamps that oai.seq_before() does not find where they begin; none if all is well. Items and the rows of the
-- calendar are read in one order, a row before the item that follows it. It relies on datestamps that do not fall as seq grows,
-- of which oai.check_items() says whether they do.
create or replace function oai.check_calendar() returns table (datestamp timestamptz, problem text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with entry as materialized (
        select c.datestamp, c.before, lag(c.before) over (order by c.datestamp) as earlier from oai.calendar c),
    -- Each part has its order, which PostgreSQL then merges; otherwise it would sort all.
    place as (
        (select i.seq as at, i.seq, i.datestamp, null::bigint as before, null::timestamptz as begun
         from oai.item i where i.seq > 0 order by i.seq)
        union all
        (select e.before + 1, null, null, e.before, e.datestamp from entry e order by 1)),
    -- previous_*: of the last item in front; entry_*: of the last row of the calendar up to here
    walk as (
        select p.*, max(p.seq) over front as previous_seq, max(p.datestamp) over front as previous_datestamp,
               max(p.before) over w as entry_before, max(p.begun) over w as entry_datestamp
        from place p
        window w as (order by p.at), front as (order by p.at range between unbounded preceding and 1 preceding))
    select coalesce(w.begun, w.datestamp),
           case when w.seq is null then format('begins behind number %s, but number %s has it or a later one', w.before, w.previous_seq)
                when w.datestamp < w.entry_datestamp
                then format('is that of number %s, but a later one begins behind %s', w.seq, w.entry_before)
                else format('begins with number %s, but is looked for behind %s', w.seq, coalesce(w.entry_before, 0)) end
    from walk w
    where w.begun <= w.previous_datestamp
          or w.datestamp < w.entry_datestamp
          -- begins in a bucket that has no row of its own
          or (w.datestamp <> w.previous_datestamp and w.datestamp is distinct from w.entry_datestamp
              and w.previous_seq > (coalesce(w.entry_before, 0) / 16 + 1) * 16)
    union all
    select e.datestamp, format('begins behind number %s, but an earlier one behind %s', e.before, e.earlier)
    from entry e where e.before <= e.earlier;
end $$;

-- Returns of each item the first thing that is wrong with what the publisher has written of it.
create or replace function oai.check_items() returns table (id bigint, problem text) language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with o as materialized (select n.h, n.last_seq, n.keep_deleted from oai.horizon n)
    select x.id, x.problem
    from (select i.id,
                 case when i.seq > o.last_seq or i.seq < 1
                      then format('has the number %s, but the publisher has given out 1 to %s', i.seq, o.last_seq)
                      when i.seq is null and not i.queued and o.h is not null and (not i.deleted or o.keep_deleted)
                      then 'is neither published nor queued'
                      when i.seq is not null and i.datestamp is null then 'is published without a datestamp'
                      when i.seq is not null and i.datestamp > o.h
                      then format('has the datestamp %s, which is later than the horizon', i.datestamp)
                      when i.seq is null and not i.deleted and i.set_ids <> '{}' then 'has sets as if it were published, but no number'
                      when i.seq is not null and not i.deleted and not i.queued
                           and not (i.set_ids @> i.sets_now and i.set_ids <@ i.sets_now)
                      then 'is published in other sets than it belongs to now' end as problem
          -- "offset 0": the sets are looked up once for each item, not for each mention
          from (select m.*, exists (select from oai.queue q where q.id = m.id) as queued from oai.membership m offset 0) i, o) x
    where x.problem is not null
    union all
    select x.id, format('has the datestamp %s, but an earlier number has a later one', x.datestamp)
    from (select i.id, i.datestamp, lag(i.datestamp) over (order by i.seq) as previous from oai.item i where i.seq is not null) x
    where x.datestamp < x.previous;
end $$;
