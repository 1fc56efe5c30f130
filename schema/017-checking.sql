-- SPDX-License-Identifier: MIT
-- oai.check_chunks() as in 014-numbers.sql, for repositories of any size: for each set a checksum of the numbers that its chunks
-- have, and one of those that its items have. Only of sets where these differ are the numbers compared one by one. Items are
-- counted by the sets that they share, of which there are few, and nothing larger than a row for each chunk is kept.
create or replace function oai.check_chunks() returns table (set_id integer, first_seq bigint, problem text)
language plpgsql stable set work_mem = '128MB' as $$
#variable_conflict use_column
declare
    first_requirement constant integer := 1073741824;   -- from here on set ids are of what formats require
begin
    return query
    -- An item that is queued may already differ from what formats require.
    with changing as materialized (
        select i.seq from oai.item i where i.seq is not null and exists (select from oai.queue q where q.id = i.id)),
    chunk as materialized (
        select k.set_id, k.first_seq, cardinality(k.seqs) as n, x.judged, x.checksum, x.ascend,
               oai.base_of(k.first_seq) + k.seqs[1] as low, oai.base_of(k.first_seq) + k.seqs[cardinality(k.seqs)] as high
        from oai.set_chunk k cross join lateral (
            select count(*) filter (where u.is_judged) as judged, array_agg(u.d order by u.d) = k.seqs as ascend,
                   bit_xor(hashint8extended(oai.base_of(k.first_seq) + u.d, 0)) filter (where u.is_judged) as checksum
            from (select d, k.set_id < first_requirement
                            or oai.base_of(k.first_seq) + d not in (select c.seq from changing c) as is_judged
                  from unnest(k.seqs) d) u) x),
    kept as materialized (
        select c.set_id, sum(c.n)::bigint as n, sum(c.judged)::bigint as judged, bit_xor(c.checksum) as checksum from chunk c group by 1),
    alike as materialized (
        select i.set_ids, count(*) as n, bit_xor(hashint8extended(i.seq, 0)) as checksum
        from oai.item i where i.seq is not null group by 1),
    expected as materialized (
        select p.set_id, sum(a.n)::bigint as n, bit_xor(a.checksum) as checksum
        from alike a cross join lateral (
            select distinct u.set_id
            from unnest(a.set_ids) l(leaf) join oai.set o on o.id = l.leaf cross join unnest(o.path) u(set_id)) p
        group by 1
        union all
        select m.set_id, count(*), bit_xor(hashint8extended(m.seq, 0)) from oai.requirement_members() m
        where m.seq not in (select c.seq from changing c) group by 1),
    doubtful as materialized (
        select coalesce(k.set_id, e.set_id) as set_id
        from kept k full join expected e on e.set_id = k.set_id
        where (coalesce(k.judged, 0), coalesce(k.checksum, 0)) is distinct from (coalesce(e.n, 0), coalesce(e.checksum, 0))
              and not exists (select from oai.requirement r where r.set_id = coalesce(k.set_id, e.set_id) and r.columns is null)),
    posting as (
        select k.set_id, k.first_seq, oai.base_of(k.first_seq) + d as seq
        from oai.set_chunk k cross join unnest(k.seqs) d where k.set_id in (select t.set_id from doubtful t)),
    member as (
        select distinct p.set_id, i.seq
        from oai.item i cross join unnest(i.set_ids) l(leaf) join oai.set o on o.id = l.leaf cross join unnest(o.path) p(set_id)
        where exists (select from doubtful) and i.seq is not null
              and i.set_ids && array(select s.id from oai.set s where s.path && array(select t.set_id from doubtful t))
              and p.set_id in (select t.set_id from doubtful t)
        union all
        select m.set_id, m.seq from oai.requirement_members() m where m.set_id in (select t.set_id from doubtful t))
    select c.set_id, c.first_seq,
           case when not c.ascend then 'its numbers do not ascend'
                when c.low <= c.previous then format('number %s follows %s', c.low, c.previous)
                when c.low < c.first_seq then format('number %s is below first_seq', c.low)
                when c.n = 0 then 'is empty' else 'has more than 128 numbers' end
    from (select c.*, lag(c.high) over (partition by c.set_id order by c.first_seq) as previous from chunk c) c
    where not c.ascend or c.low <= c.previous or c.low < c.first_seq or c.n not between 1 and 128
    union all
    select coalesce(p.set_id, m.set_id), p.first_seq,
           case when p.seq is null then format('number %s is missing', m.seq)
                else format('number %s belongs to no item of the set', p.seq) end
    from posting p full join member m on m.set_id = p.set_id and m.seq = p.seq
    where (p.seq is null or m.seq is null)
          and not (coalesce(p.set_id, m.set_id) >= first_requirement and coalesce(p.seq, m.seq) in (select c.seq from changing c))
    union all
    select s.id, null, format('item_count is %s, but %s items belong to it', s.item_count, coalesce(e.n, 0))
    from oai.set s left join expected e on e.set_id = s.id where s.item_count <> coalesce(e.n, 0)
    union all
    select r.set_id, null, format('item_count is %s, but its chunks have %s numbers', r.item_count, coalesce(k.n, 0))
    from oai.requirement r left join kept k on k.set_id = r.set_id
    where r.columns is not null and not r.is_universal and r.item_count <> coalesce(k.n, 0)
    union all
    select null, null, format('oai.horizon.item_count is %s, but %s items are published', o.item_count, x.n)
    from oai.horizon o, (select coalesce(sum(a.n), 0)::bigint as n from alike a) x where o.item_count <> x.n;
end $$;
