-- SPDX-License-Identifier: MIT
-- Publication numbers without an end. A chunk no longer holds the numbers themselves, which as int4 ended at 2^31, but their
-- differences to its base, a bigint: the last multiple of 2^31 that is not above its first_seq. Below 2^31 the base is 0, so
-- that chunks which were there before this file are right as they are, and nothing has to be rewritten. All numbers of a
-- chunk have the same base. Numbers given out by one slice have, too: where a slice would pass a multiple of 2^31 it begins
-- there, and what remains below stays unused.

-- The functions below replace others that a publisher may be in the middle of.
select from oai.horizon for update;

-- Returns the base of a chunk that begins with this number, which is also the base of the number itself.
create function oai.base_of(seq bigint) returns bigint language sql immutable parallel safe as $$
    select (seq >> 31) << 31
$$;

-- Repositories whose chunks were made to hold bigint, which the manual once advised for more than 2^31 numbers.
do $$
begin
    if (select atttypid from pg_attribute where attrelid = 'oai.set_chunk'::regclass and attname = 'seqs') = 'bigint[]'::regtype then
        create temporary table wide on commit drop as select * from oai.set_chunk;
        delete from oai.set_chunk;
        alter table oai.set_chunk alter seqs type integer[] using '{}';
        alter table oai.set_chunk alter seqs set storage plain;
        insert into oai.set_chunk
        select w.set_id, min(n), array_agg((n - oai.base_of(n))::integer order by n) from wide w, unnest(w.seqs) n
        group by w.set_id, w.first_seq, oai.base_of(n);
    end if;
end $$;

-- As in 009-lanes.sql, with another table for postings. A session that has the earlier one gets the new one.
--   posting  for each set, the numbers that leave it (gone), and the differences to `base` of those that are added (come)
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
    end if;
    if to_regclass('pg_temp.posting') is not null
       and not exists (select from pg_attribute where attrelid = to_regclass('pg_temp.posting') and attname = 'base') then
        drop table pg_temp.posting;
    end if;
    if to_regclass('pg_temp.posting') is null then
        create temporary table posting (set_id integer, gone bigint[], base bigint, come integer[]) on commit delete rows;
    end if;
end $$;

-- As in 012-first-numbering.sql and 002-publisher.sql: gives the items in pg_temp.taken their numbers and datestamps.
create or replace function oai.number_slice(before oai.horizon, t timestamptz, keep_deleted boolean) returns boolean
language plpgsql as $$
declare
    records constant bigint := (select count(*) from pg_temp.taken);
    last    bigint := before.last_seq;   -- the slice has the numbers from the next one on
begin
    if oai.base_of(last + 1) <> oai.base_of(last + records) then
        last := oai.base_of(last + records) - 1;
    end if;
    analyze pg_temp.taken;
    insert into pg_temp.slice
    select x.id, case when x.kept then date_trunc('second', x.brought) else t end, x.kept, x.seq,
           case when x.listed then last + row_number() over (order by x.listed desc, x.kept desc, x.brought, x.n) end,
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

-- As in 002-publisher.sql (there named oai.collect_postings).
create or replace function oai.collect_set_postings() returns void language plpgsql as $$
declare
    -- With an array, the sets are looked up one by one. A join would read the whole table of sets for every slice.
    leaves integer[] := array(select distinct unnest(s.old_sets || s.new_sets) from pg_temp.slice s);
    base   constant bigint := (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    -- Hashed into groups and sorted set by set: most sets of a slice get a single number, which needs no sorting.
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
                select null, (s.new_seq - base)::integer, unnest(s.new_sets) from pg_temp.slice s where s.new_seq is not null) l
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
         lateral (select k.first_seq, k.seqs from oai.set_chunk k where k.set_id = r.set_id and k.first_seq <= s.old_seq
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
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])   -- the usual case, and faster
                    else array(select n from unnest(seqs) with ordinality u(n, o) where n <> all (gone) order by o)
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

create or replace function oai.meet_requirements() returns void language plpgsql as $$
declare
    -- Of a universal requirement the items are collected that do not meet it.
    probes constant text := (
        select string_agg(format('(%s, (%s) is %s)', r.set_id, r.condition, case when r.is_universal then 'not true' else 'true' end), ', ')
        from oai.requirement r where r.columns is not null and r.examined is null);
begin
    delete from pg_temp.posting;
    if probes is null then
        return;
    end if;
    begin
        execute format('insert into pg_temp.posting
                        select p.set_id, %L, $1, array_agg((s.new_seq - $1)::integer order by s.new_seq)
                        from pg_temp.slice s join oai.record r on r.id = s.id, lateral (values %s) p(set_id, is_found)
                        where s.new_seq is not null and p.is_found group by p.set_id', '{}', probes)
            using (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
    exception
        when lock_not_available then raise;
        when others then
            raise warning 'what formats require is examined anew: %', sqlerrm;
            update oai.requirement set columns = null;
            return;
    end;
    with broken as (
        update oai.requirement r set is_universal = false, examined = 0
        from pg_temp.posting p where r.set_id = p.set_id and r.is_universal returning r.set_id)
    delete from pg_temp.posting p using broken b where p.set_id = b.set_id;
    perform oai.move_postings();
end $$;

create or replace function oai.examine_items(inout r oai.requirement, last_seq bigint) language plpgsql set enable_seqscan = off as $$
declare
    part record;
begin
    execute format('select count(*) as looked, max(x.seq) as last, array_agg(x.seq order by x.seq) filter (where x.is_met) as met
                    from (select r.seq, (%s) is true as is_met from oai.record r
                          where r.seq > $1 and r.seq <= $2 order by r.seq limit 5000) x', r.condition)
        into part using r.examined, last_seq;
    if r.is_universal and part.looked > coalesce(cardinality(part.met), 0) then   -- from the beginning, now with chunks
        r.is_universal := false;
        r.examined := 0;
        return;
    end if;
    if not r.is_universal then
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select r.set_id, b.base + b.met[i], b.met[i : i + 127]
        from (select oai.base_of(n) as base, array_agg((n - oai.base_of(n))::integer order by n) as met
              from unnest(part.met) n group by 1) b, generate_series(1, cardinality(b.met), 128) i;
        r.item_count := r.item_count + coalesce(cardinality(part.met), 0);
    end if;
    r.examined := case when part.looked = 5000 then part.last end;
exception
    when lock_not_available then raise;
    when others then
        raise warning 'what formats require (%) is examined anew: %', array_to_string(r.columns, ' '), sqlerrm;
        r.columns := null;
        r.examined := null;
end $$;

-- As in 010-packing.sql.
create or replace function oai.merge_chunks(inout w oai.walk, last_seq bigint, chunks integer) language plpgsql as $$
declare
    chunk  oai.set_chunk;
    merged oai.set_chunk;
    gone   bigint[] := '{}';
    looked integer := 0;
begin
    if w.packed_set = 0 then
        if w.packed_from = last_seq then
            return;
        end if;
        w.packed_from := last_seq;
    end if;
    for chunk in
        select * from (select k.* from oai.set_chunk k where (k.set_id, k.first_seq) >= (w.packed_set, w.packed_seq)
                       order by k.set_id, k.first_seq limit chunks) k
        union all select null, null, '{}'   -- writes the last one
    loop
        if chunk.set_id = merged.set_id and cardinality(merged.seqs) + cardinality(chunk.seqs) <= 128
           and oai.base_of(merged.first_seq) = oai.base_of(chunk.first_seq) then
            merged.seqs := merged.seqs || chunk.seqs;
            gone := gone || chunk.first_seq;
        else
            if cardinality(gone) > 0 then
                delete from oai.set_chunk k where k.set_id = merged.set_id and k.first_seq = any (gone);
                update oai.set_chunk k set seqs = merged.seqs where k.set_id = merged.set_id and k.first_seq = merged.first_seq;
                gone := '{}';
            end if;
            exit when chunk.set_id is null;
            merged := chunk;
        end if;
        looked := looked + 1;
    end loop;
    -- The last chunk may fit together with the next one.
    w.packed_set := case when looked = chunks then merged.set_id else 0 end;
    w.packed_seq := case when looked = chunks then merged.first_seq else 0 end;
end $$;

-- As in 003-reader.sql, and so are the three that follow.
create or replace function oai.set_page(set_id integer, after bigint, upto bigint, n integer)
returns setof bigint language plpgsql stable rows 100 as $$
declare
    chunk      integer[];
    base       bigint;
    difference integer;
    taken      integer := 0;
begin
    for base, chunk in
        select oai.base_of(k.first_seq), k.seqs from oai.set_chunk k
        where k.set_id = set_page.set_id and k.first_seq <= upto
          and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                       where p.set_id = set_page.set_id and p.first_seq <= after + 1), 0)
        order by k.first_seq
    loop
        foreach difference in array chunk loop
            continue when base + difference <= after;
            if base + difference > upto or taken >= n then
                return;
            end if;
            return next base + difference;
            taken := taken + 1;
        end loop;
    end loop;
end $$;

create or replace function oai.count_set(set_id integer, after bigint, upto bigint, count_limit integer)
returns bigint language plpgsql stable as $$
declare
    chunk integer[];
    base  bigint;
    total bigint := 0;
begin
    for base, chunk in
        select oai.base_of(k.first_seq), k.seqs from oai.set_chunk k
        where k.set_id = count_set.set_id and k.first_seq <= upto
          and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                       where p.set_id = count_set.set_id and p.first_seq <= after + 1), 0)
        order by k.first_seq
    loop
        if base + chunk[1] > after and base + chunk[cardinality(chunk)] <= upto then
            total := total + cardinality(chunk);
        else
            total := total + (select count(*) from unnest(chunk) s where base + s > after and base + s <= upto);
        end if;
        if total > count_limit then
            return null;
        end if;
    end loop;
    return total;
end $$;

create or replace function oai.page_before(set_id integer, after bigint, upto bigint, n integer)
returns bigint language plpgsql stable as $$
declare
    chunk integer[];
    base  bigint;
    taken integer := 0;
begin
    if set_id is null then
        return coalesce((select i.seq from oai.item i where i.seq > after and i.seq <= upto
                         order by i.seq desc offset n limit 1), after);
    end if;
    for base, chunk in
        select oai.base_of(k.first_seq), k.seqs from oai.set_chunk k
        where k.set_id = page_before.set_id and k.first_seq <= upto order by k.first_seq desc
    loop
        for place in reverse cardinality(chunk) .. 1 loop
            continue when base + chunk[place] > upto;
            if base + chunk[place] <= after then
                return after;
            end if;
            if taken = n then
                return base + chunk[place];
            end if;
            taken := taken + 1;
        end loop;
    end loop;
    return after;
end $$;

create or replace function oai.estimate_set(set_id integer, after bigint, upto bigint, out size bigint, out exact boolean)
language plpgsql stable as $$
begin
    select count(*) <= 16,
           coalesce(sum(case when k.first_seq > after and k.base + k.seqs[cardinality(k.seqs)] <= upto then cardinality(k.seqs)
                             else (select count(*) from unnest(k.seqs) s where k.base + s > after and k.base + s <= upto) end), 0)
    into exact, size
    from (select k.first_seq, oai.base_of(k.first_seq) as base, k.seqs from oai.set_chunk k
          where k.set_id = estimate_set.set_id and k.first_seq <= upto
            and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                         where p.set_id = estimate_set.set_id and p.first_seq <= after + 1), 0)
          order by k.first_seq limit 17) k;
    if exact then
        return;
    end if;
    select coalesce(sum(case when p.place <= k.last_seq
                             then cardinality(k.seqs)::double precision / (k.last_seq - k.first_seq + 1)
                        end) / 16 * (upto - after), 0)::bigint
    into size
    from generate_series(0, 15) s(sample), lateral (values (after + (upto - after) * (2 * s.sample + 1) / 32)) p(place),
         lateral (select k.first_seq, k.seqs, oai.base_of(k.first_seq) + k.seqs[cardinality(k.seqs)] as last_seq from oai.set_chunk k
                  where k.set_id = estimate_set.set_id and k.first_seq <= p.place order by k.first_seq desc limit 1) k;
end $$;

-- As in 013-requirements.sql, and so are those that follow.
drop function oai.numbers_after(integer, bigint);
create function oai.numbers_after(set_id integer, after bigint) returns bigint[] language plpgsql stable as $$
declare
    numbers bigint[] := array(
        select k.base + n
        from (select oai.base_of(k.first_seq) as base, k.seqs from oai.set_chunk k
              where k.set_id = numbers_after.set_id and k.first_seq <= after + 1 order by k.first_seq desc limit 1) k,
             unnest(k.seqs) n
        where k.base + n > after);
begin
    if numbers = '{}' then
        numbers := (select array(select oai.base_of(k.first_seq) + n from unnest(k.seqs) n)
                    from oai.set_chunk k where k.set_id = numbers_after.set_id and k.first_seq > after + 1
                    order by k.first_seq limit 1);
    end if;
    return numbers;
end $$;

create or replace function oai.set_page(set_id integer, after bigint, upto bigint, n integer, required_id integer)
returns setof bigint language plpgsql stable rows 100 as $$
declare
    a     bigint[];
    b     bigint[];
    seq   bigint;
    taken integer := 0;
begin
    if required_id is null then
        return query select * from oai.set_page(set_id, after, upto, n);
        return;
    end if;
    loop
        if a is null or a[cardinality(a)] <= after then
            a := oai.numbers_after(set_id, after);
        end if;
        if b is null or b[cardinality(b)] <= after then
            b := oai.numbers_after(required_id, after);
        end if;
        exit when a is null or b is null or greatest(a[1], b[1]) > upto;
        if a[1] > b[cardinality(b)] or b[1] > a[cardinality(a)] then
            after := greatest(a[1], b[1]) - 1;
            continue;
        end if;
        foreach seq in array array(select x from unnest(a) x where x > after and x = any (b)) loop
            if seq > upto or taken >= n then
                return;
            end if;
            return next seq;
            taken := taken + 1;
        end loop;
        after := least(a[cardinality(a)], b[cardinality(b)]);
    end loop;
end $$;

create or replace function oai.check_chunks() returns table (set_id integer, first_seq bigint, problem text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with posting as (
        select k.set_id, k.first_seq, oai.base_of(k.first_seq) + u.difference as seq, u.o,
               lag(oai.base_of(k.first_seq) + u.difference) over (partition by k.set_id order by k.first_seq, u.o) as previous
        from oai.set_chunk k, unnest(k.seqs) with ordinality u(difference, o)),
    member as (
        select distinct p.set_id, i.seq
        from oai.item i, unnest(i.set_ids) l(leaf) join oai.set o on o.id = l.leaf, unnest(o.path) p(set_id)
        where i.seq is not null
        union all select m.set_id, m.seq from oai.requirement_members() m),
    changing as (select i.seq from oai.item i where i.seq is not null and exists (select from oai.queue q where q.id = i.id)),
    given_up as (select r.set_id from oai.requirement r where r.columns is null)
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
    where (p.seq is null or m.seq is null) and coalesce(p.set_id, m.set_id) not in (select set_id from given_up)
          and not (coalesce(p.set_id, m.set_id) >= 1073741824 and coalesce(p.seq, m.seq) in (select seq from changing))
    union all
    select s.id, null, format('item_count is %s, but %s items belong to it', s.item_count, count(m.seq))
    from oai.set s left join member m on m.set_id = s.id group by s.id having s.item_count <> count(m.seq)
    union all
    select r.set_id, null, format('item_count is %s, but its chunks have %s numbers', r.item_count, count(p.seq))
    from oai.requirement r left join posting p using (set_id) where r.columns is not null and not r.is_universal
    group by r.set_id, r.item_count having r.item_count <> count(p.seq)
    union all
    select null, null, format('oai.horizon.item_count is %s, but %s items are published', o.item_count,
                              (select count(*) from oai.item where seq is not null))
    from oai.horizon o where o.item_count <> (select count(*) from oai.item where seq is not null);
end $$;

drop function oai.numbers_used();

revoke execute on function oai.base_of, oai.numbers_after from public;
grant execute on function oai.base_of, oai.numbers_after to oai_reader, oai_publisher;
