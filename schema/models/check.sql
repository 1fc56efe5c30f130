-- SPDX-License-Identifier: MIT
-- What `oai check` asks: what the publisher will not bring into order by itself.

--- The items that the publisher will not bring into order by itself, each with the first thing that is wrong.
--- Reads everything.
-- Items are changed behind the publisher's back with triggers switched off, or by a mistake of its own. An id
-- that was changed shows only where the item was in a set by its old id.
create or replace function oai.check_items() returns table (id bigint, problem text) language sql stable as $$
    with o as materialized (select n.h, n.last_seq, n.keep_deleted,
                                   array(select r.set_id from oai.rule r) as by_rule from oai.horizon n)
    select x.id, x.problem
    from (select i.id, case when i.seq > o.last_seq or i.seq < 1
                      then format('has the number %s, but the publisher has given out 1 to %s', i.seq,
                                  o.last_seq)
                      when i.seq is null and not i.queued and o.h is not null
                          and i.deleted is not null and (not i.deleted or o.keep_deleted)
                      then 'is neither published nor queued'
                      when i.seq is not null and i.datestamp is null then 'is published without a datestamp'
                      when i.seq is not null and i.datestamp > o.h
                      then format('has the datestamp %s, which is later than the horizon', i.datestamp)
                      when i.seq is null and not i.deleted and i.set_ids <> '{}'
                      then 'has sets as if it were published, but no number'
                      when i.seq is not null and not i.deleted and not i.queued
                           and not (i.set_ids @> i.sets_now and i.set_ids <@ (i.sets_now || o.by_rule))
                      then 'is published in other sets than it belongs to now' end as problem
          -- "offset 0": the sets are looked up once for each item, not for each mention
          from (select m.*, exists (select from oai.queue q where q.id = m.id) as queued
                from oai.membership m offset 0) i, o) x where x.problem is not null
    union all
    select x.id, format('has the datestamp %s, but an earlier number has a later one', x.datestamp)
    from (select i.id, i.datestamp, lag(i.datestamp) over (order by i.seq) as previous from oai.item i
          where i.seq is not null) x where x.datestamp < x.previous
$$;

--- The sets that do not stand where their setSpec, or their name in the model (oai.set_place), says.
create or replace function oai.check_sets() returns table (spec text, problem text) language sql stable as $$
    select s.spec::text, 'does not lie below its parent' from oai.set s left join oai.set a on a.id = s.parent
    where coalesce(a.spec, '') <> regexp_replace(s.spec, ':?[^:]*$', '')
       or s.path is distinct from coalesce(a.path, '{}') || s.id
    union all
    select s.spec, 'was renamed: the model has the name of ' || p.spec
    from oai.set_place p join oai.set s on s.id = p.id where s.spec <> p.spec
$$;

-- Of hidden rules that catch up, as far as they have come.
create or replace function oai.requirement_members() returns table (set_id integer, seq bigint)
language plpgsql stable as $$
declare r oai.rule;
begin
    for r in select * from oai.rule q where q.is_hidden and q.name is not null and not q.is_universal loop
        return query execute format(
            'select $1, r.seq from oai.record r where r.seq <= coalesce($2, r.seq) and (%s)', r.condition)
            using r.set_id, r.examined;
    end loop;
end $$;

--- The sets and hidden rules whose chunks have other numbers than their items. Reads everything, but keeps
--- little, whatever the size.
-- Compares how many numbers the chunks of each set have, and their checksum, with those of its items, which
-- are counted by the sets that they share, of which there are few. Nothing larger than a row for each chunk
-- is kept. Items that have changed and are not yet published again may meet other requirements already.
create or replace function oai.check_chunks() returns table (set_id integer, first_seq bigint, problem text)
language sql stable set work_mem = '128MB' as $$
    with changing as materialized (select i.seq from oai.item i
        where i.seq is not null and exists (select from oai.queue q where q.id = i.id)),
    chunk as materialized (select k.set_id, k.first_seq, cardinality(k.seqs) as n, x.*,
               oai.base_of(k.first_seq) + k.seqs[1] as low,
               oai.base_of(k.first_seq) + k.seqs[cardinality(k.seqs)] as high
        from oai.set_chunk k cross join lateral (select count(*) filter (where u.is_judged) as judged,
                   array_agg(u.d order by u.d) = k.seqs as ascend,
                   bit_xor(hashint8extended(oai.base_of(k.first_seq) + u.d, 0))
                       filter (where u.is_judged) as checksum
            from (select d, k.set_id < 1073741824   -- others are of hidden rules
                            or oai.base_of(k.first_seq) + d not in (select c.seq from changing c) as is_judged
                  from unnest(k.seqs) d) u) x),
    kept as materialized (select c.set_id, sum(c.n)::bigint as n, sum(c.judged)::bigint as judged,
            bit_xor(c.checksum) as checksum from chunk c group by 1),
    alike as materialized (select i.set_ids, count(*) as n, bit_xor(hashint8extended(i.seq, 0)) as checksum
        from oai.item i where i.seq is not null group by 1),
    expected as materialized (select p.set_id, sum(a.n)::bigint as n, bit_xor(a.checksum) as checksum
        from alike a cross join lateral (select distinct u.set_id
            from unnest(a.set_ids) l(leaf) join oai.set o on o.id = l.leaf
            cross join unnest(o.path) u(set_id)) p group by 1
        union all
        select m.set_id, count(*), bit_xor(hashint8extended(m.seq, 0)) from oai.requirement_members() m
        where m.seq not in (select c.seq from changing c) group by 1)
    select c.set_id, c.first_seq,
           case when not c.ascend then 'its numbers do not ascend'
                when c.low <= c.previous then format('number %s follows %s', c.low, c.previous)
                when c.low < c.first_seq then format('number %s is below first_seq', c.low)
                when c.n = 0 then 'is empty' else 'has more than 128 numbers' end
    from (select c.*, lag(c.high) over (partition by c.set_id order by c.first_seq) as previous
          from chunk c) c
    where not c.ascend or c.low <= c.previous or c.low < c.first_seq or c.n not between 1 and 128
    union all
    select coalesce(k.set_id, e.set_id), null, case when k.judged = e.n
        then 'its chunks have other numbers than its items'
        else format('its chunks have %s numbers, its items %s', coalesce(k.judged, 0), coalesce(e.n, 0)) end
    from kept k full join expected e on e.set_id = k.set_id
    where (coalesce(k.judged, 0), coalesce(k.checksum, 0))
          is distinct from (coalesce(e.n, 0), coalesce(e.checksum, 0))
          and not exists (select from oai.rule r where r.set_id = coalesce(k.set_id, e.set_id)
                                                   and r.name is null and r.is_hidden)
    union all
    select s.id, null, format('item_count is %s, but %s items belong to it', s.item_count, coalesce(e.n, 0))
    from oai.set s left join expected e on e.set_id = s.id where s.item_count <> coalesce(e.n, 0)
    union all
    select r.set_id, null, format('item_count is %s, but its chunks have %s numbers', r.item_count,
                                  coalesce(k.n, 0))
    from oai.rule r left join kept k on k.set_id = r.set_id
    where r.is_hidden and r.name is not null and not r.is_universal and r.item_count <> coalesce(k.n, 0)
    union all
    select null, null, format('oai.horizon.item_count is %s, but %s items are published', o.item_count, x.n)
    from oai.horizon o, (select coalesce(sum(a.n), 0)::bigint as n from alike a) x where o.item_count <> x.n
$$;

--- The datestamps that oai.seq_before() does not find where they begin. Reads everything.
-- Relies on datestamps that do not fall as seq grows, of which oai.check_items() says whether they do.
create or replace function oai.check_calendar() returns table (datestamp timestamptz, problem text)
language sql stable as $$
    select t.datestamp, format('is looked for behind number %s, but begins elsewhere', b)
    from (select c.datestamp from oai.calendar c
          union select i.datestamp from oai.item i where i.seq is not null) t
    cross join lateral oai.seq_before(t.datestamp, (select o.last_seq from oai.horizon o)) b
    where (select i.datestamp from oai.item i where i.seq <= b order by i.seq desc limit 1) >= t.datestamp
       or (select i.datestamp from oai.item i where i.seq > b order by i.seq limit 1) < t.datestamp
$$;

-- Of all published items, 10,000 at a time: whether they are in a set, and whether they meet its rule.
create or replace function oai.ask_rule(set_id integer, condition text) returns table (local_id text,
    deleted boolean, is_member boolean, is_met boolean, problem text) language sql stable as $$
    select m.*
    from (select array_agg(n.id) as ids
          from (select i.id, row_number() over (order by i.seq) / 10000 as page from oai.item i
                where i.seq is not null) n group by n.page order by n.page) p
    cross join lateral (select i.local_id, i.deleted, coalesce(ask_rule.set_id = any (i.set_ids), false),
               x.id is not null and x.problem is null, x.problem
        from oai.item i left join oai.rule_matches(array[oai.condition_of(condition)], p.ids) x on x.id = i.id
        where i.id = any (p.ids) offset 0) m
$$;

--- The published items that a set by a rule should have and has not, or the reverse. Reads everything.
create or replace function oai.check_rules() returns table (spec text, local_id text, problem text)
language sql stable as $$
    select s.spec, a.local_id, case when a.is_member then 'does not meet the condition of its set'
                                    else 'meets the condition, but is not in the set' end
    from oai.rule r join oai.set s on s.id = r.set_id, oai.ask_rule(r.set_id, r.condition) a
    where r.name is not null and r.examined is null and not a.deleted and a.is_member <> a.is_met
          and not exists (select from oai.queue q where q.id = oai.find_item(a.local_id))
$$;

-- What a condition would do: how many items meet it, how many enter or leave the set, how long it takes with
-- 10,000 items, some of those that meet it, and what fails. Reads everything.
create or replace function oai.try_rule(spec text, condition text, out items bigint, out matching bigint,
    out enter bigint, out leave bigint, out failing bigint, out milliseconds bigint, out examples text[],
    out problem text) language sql stable as $$
    select count(*), count(*) filter (where a.is_met), count(*) filter (where a.is_met and not a.is_member),
           count(*) filter (where a.is_member and not a.is_met and not a.deleted), count(a.problem),
           (1000 * extract(epoch from clock_timestamp() - statement_timestamp())
            / greatest(1, count(*) / 10000))::bigint,
           array(select e.local_id from oai.ask_rule(null, condition) e where e.is_met limit 10),
           min(a.local_id || ': ' || a.problem)
    from oai.ask_rule((select s.id from oai.set s where s.spec = try_rule.spec), condition) a
$$;
