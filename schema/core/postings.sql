-- SPDX-License-Identifier: MIT

-- Fills pg_temp.posting: for every set that the items of the slice leave or enter, ancestors included, the
-- numbers that leave it and the numbers that enter it. As in 002-publisher.sql (there named
-- oai.collect_postings).
create or replace function oai.collect_set_postings() returns void language plpgsql as $$
declare
    -- With an array, the sets are looked up one by one. A join would read the whole table of sets for every
    -- slice.
    leaves integer[] := array(select distinct unnest(s.old_sets || s.new_sets) from pg_temp.slice s);
    base   constant bigint := (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    -- Hashed into groups and sorted set by set: most sets of a slice get a single number, which needs no
    -- sorting.
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
                select null, (s.new_seq - base)::integer, unnest(s.new_sets) from pg_temp.slice s
                where s.new_seq is not null) l
          join (select o.id, o.path from oai.set o where o.id = any (leaves) offset 0) o on o.id = l.leaf,
               unnest(o.path) p(set_id)
          group by p.set_id) x;
    analyze pg_temp.posting;
end $$;

-- As in 013-requirements.sql, and so are those that follow.
create or replace function oai.collect_postings() returns void language plpgsql as $$
begin
    perform oai.collect_set_postings();
    insert into pg_temp.posting
    select r.set_id, array_agg(s.old_seq order by s.old_seq), null, '{}'
    from oai.requirement r, pg_temp.slice s,
         lateral (select k.first_seq, k.seqs from oai.set_chunk k
                  where k.set_id = r.set_id and k.first_seq <= s.old_seq
                  order by k.first_seq desc limit 1) k
    where r.columns is not null and not r.is_universal and s.old_seq - oai.base_of(k.first_seq) = any (k.seqs)
    group by r.set_id;
end $$;

create or replace function oai.move_postings() returns void language plpgsql as $$
begin
    update oai.requirement r set item_count = r.item_count + cardinality(p.come) - cardinality(p.gone)
    from pg_temp.posting p where r.set_id = p.set_id and cardinality(p.come) <> cardinality(p.gone);
    with place as materialized (   -- so that each number is looked up only once
        select p.set_id, k.first_seq, k.seqs, (u.seq - oai.base_of(u.seq))::integer as difference
        from pg_temp.posting p, unnest(p.gone) u(seq),
             lateral (select k.first_seq, k.seqs from oai.set_chunk k
                      where k.set_id = p.set_id and k.first_seq <= u.seq and k.first_seq >= oai.base_of(u.seq)
                      order by k.first_seq desc limit 1) k),
    gone as (
        select set_id, first_seq, max(seqs) as seqs, array_agg(difference) as gone from place group by 1, 2),
    kept as (
        select set_id, first_seq,
               -- the usual case, and faster
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])
                    else array(select n from unnest(seqs) with ordinality u(n, o)
                               where n <> all (gone) order by o)
               end as seqs
        from gone),
    come as (
        select p.set_id, p.base, p.come, k.first_seq, k.seqs
        from pg_temp.posting p left join lateral (
            select k.first_seq, k.seqs from oai.set_chunk k
            where k.set_id = p.set_id order by k.first_seq desc limit 1) k
        on cardinality(k.seqs) + cardinality(p.come) <= 128 and k.first_seq >= p.base
        where p.come <> '{}'),
    changed as (
        select set_id, first_seq, coalesce(kept.seqs, t.seqs) || coalesce(t.come, '{}') as seqs
        from kept full join (select * from come where first_seq is not null) t using (set_id, first_seq)),
    emptied as (
        delete from oai.set_chunk k using changed c
        where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) = 0),
    added as (
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select c.set_id, c.base + c.come[i], c.come[i : i + 127]
        from come c, generate_series(1, cardinality(c.come), 128) i
        where c.first_seq is null)
    update oai.set_chunk k set seqs = c.seqs from changed c
    where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) > 0;
end $$;

-- Removes the old numbers of the slice from their chunks and appends the new ones: to the last chunk of the
-- set if all of them fit there, otherwise as new chunks of up to 128 numbers. No row is updated twice, since
-- that would need room for two new versions in its page. As in 002-publisher.sql, and notes that a set holds
-- items. As in 008-protection.sql; the second half can be called for requirements alone.
create or replace function oai.move_numbers() returns void language plpgsql as $$
begin
    perform oai.collect_postings();
    update oai.set s set item_count = s.item_count + cardinality(p.come) - cardinality(p.gone), held = true
    from pg_temp.posting p where s.id = p.set_id
        and (cardinality(p.come) <> cardinality(p.gone) or not s.held);
    perform oai.move_postings();
end $$;
