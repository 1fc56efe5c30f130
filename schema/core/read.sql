-- SPDX-License-Identifier: MIT
-- What servers ask: positions in lists, pages of sets, sizes. Every function is of bounded cost: the cost
-- does not grow with the repository, nor with how far a harvester has come.
--
-- Names without a schema are those that a view has relations of its own for: with the search_path oai a
-- function reads the repository, and its copy in schema oai_view the view (models/views.sql).

-- The last number whose datestamp is before t, 0 if there is none. The calendar yields the bucket of 16
-- numbers in which t would begin, whose items are read at once, for they are neighbours.
create or replace function oai.seq_before(t timestamptz, last_seq bigint) returns bigint
language plpgsql stable set search_path = oai, pg_temp as $$
declare
    lo    bigint := coalesce((select c.before from calendar c where c.datestamp <= t
                              -- every item with seq <= lo is earlier than t
                              order by c.datestamp desc limit 1), 0);
    hi    bigint := coalesce((select c.before from calendar c where c.datestamp >= t
                              -- no item with seq > hi is earlier than t
                              order by c.datestamp limit 1), last_seq);
    -- no datestamp begins between here and hi: the one there began within the bucket
    mid   bigint := (lo / 16 + 1) * 16;
    probe record;
begin
    if mid < hi then
        select i.datestamp into probe from item i where i.seq > mid and i.seq <= hi order by i.seq
        limit 1;
        if found and probe.datestamp < t then return hi; end if;
        hi := mid;
    end if;
    if lo < hi then
        select coalesce(max(i.seq) filter (where i.datestamp < t), lo) into lo
        from item i where i.seq > lo and i.seq <= hi;
    end if;
    return lo;
end $$;

-- The numbers above `after` of the first chunk of a set that has any; null: the set has none.
create or replace function oai.numbers_after(set_id integer, after bigint) returns bigint[]
language plpgsql stable set search_path = oai, pg_temp as $$
begin
    return (select c.numbers
            from (select k.first_seq, array(select oai.base_of(k.first_seq) + n from unnest(k.seqs) n
                                            where oai.base_of(k.first_seq) + n > after) as numbers
                  from set_chunk k
                  where k.set_id = numbers_after.set_id and k.first_seq >= coalesce((
                      select max(p.first_seq) from set_chunk p
                      where p.set_id = numbers_after.set_id and p.first_seq <= after + 1), 0)
                  order by k.first_seq limit 2) c
            where c.numbers <> '{}' order by c.first_seq limit 1);
end $$;

-- Returns up to n numbers of a set with after < seq <= upto, in ascending order; of those that also belong to
-- the hidden rule `required_id` if it is given: then it leaps from a chunk of one over all of the other that
-- end before, so that the cost grows with the chunks of the one that has fewer. A number may no longer belong
-- to an item: the caller joins, skips it and reads on. The query of the loop has no LIMIT, with which the
-- planner would read more, not less.
create or replace function oai.set_page(set_id integer, after bigint, upto bigint, n integer,
    required_id integer default null) returns setof bigint
language plpgsql stable rows 100 set search_path = oai, pg_temp as $$
declare
    a          bigint[];
    b          bigint[];
    base       bigint;
    chunk      integer[];
    difference integer;
    seq        bigint;
    taken      integer := 0;
begin
    for base, chunk in select oai.base_of(k.first_seq), k.seqs from set_chunk k
        where k.set_id = set_page.set_id and k.first_seq <= upto and required_id is null
          and k.first_seq >= coalesce((select max(p.first_seq) from set_chunk p
                                       where p.set_id = set_page.set_id and p.first_seq <= after + 1), 0)
        order by k.first_seq
    loop
        foreach difference in array chunk loop
            continue when base + difference <= after;
            if base + difference > upto or taken >= n then return; end if;
            return next base + difference;
            taken := taken + 1;
        end loop;
    end loop;
    while required_id is not null loop
        if a is null or a[cardinality(a)] <= after then a := numbers_after(set_id, after); end if;
        if b is null or b[cardinality(b)] <= after then b := numbers_after(required_id, after); end if;
        exit when a is null or b is null or greatest(a[1], b[1]) > upto;
        if a[1] > b[cardinality(b)] or b[1] > a[cardinality(a)] then
            after := greatest(a[1], b[1]) - 1;
            continue;
        end if;
        foreach seq in array array(select x from unnest(a) x where x > after and x = any (b)) loop
            if seq > upto or taken >= n then return; end if;
            return next seq;
            taken := taken + 1;
        end loop;
        after := least(a[cardinality(a)], b[cardinality(b)]);
    end loop;
end $$;

-- The same as runs without a gap. `numbers` counts those of this run and of all before it: with n of them,
-- the set may have more.
create or replace function oai.set_runs(set_id integer, after bigint, upto bigint, n integer,
                                        required_id integer)
returns table (first bigint, last bigint, numbers integer)
language plpgsql stable rows 100 set search_path = oai, pg_temp as $$
declare seq bigint;
begin
    numbers := 0;
    for seq in select s from set_page(set_id, after, upto, n, required_id) s loop
        if seq is distinct from last + 1 then
            if numbers > 0 then return next; end if;
            first := seq;
        end if;
        last := seq;
        numbers := numbers + 1;
    end loop;
    if numbers > 0 then return next; end if;
end $$;

-- Everything that a page of a list needs to know before it reads records, from one snapshot. Any argument may
-- be null.
--   from, until  first and last second asked for
--   spec         setSpec
--   after, upto  bounds that an earlier page has fixed; they take the place of `from` and `until`
--   count_limit  null: do not count
--   seen, seen_h earlier pages have shown numbers up to `seen` while the horizon was at seen_h; the result
--                `lost` says whether numbers among these were lost in a failover (oai.fork)
--   required     the names of the columns that the format requires; null: none
-- The result says also:
--   earliest     the earliest datestamp; null unless `from` is given: no other list needs it
--   required_id  the items of the list also belong to this hidden rule. Null: nothing is required, or all
--                items have it, or it is not known yet which ones; then the caller looks at each record.
--   size         of the list in that format; null as long as it is not known which items have what it
--                requires
-- Numbers above last_seq were lost if the horizon is as far as it was when they were shown. If the lost
-- numbers have been given out again, they show it: what is published after the horizon was at seen_h has
-- numbers above `seen`. So neither the last item up to `seen` has a later datestamp, nor does a later one
-- begin below `seen` in the calendar, which knows every sixteenth number even if its items have moved on.
create or replace function oai.list_position("from" timestamptz, until timestamptz, spec text, after bigint,
    upto bigint, count_limit integer, seen bigint default null, seen_h timestamptz default null,
    required text[] default null) returns table (h timestamptz, last_seq bigint, epoch bigint,
    earliest timestamptz, set_id integer, set_exists boolean, after_seq bigint, upto_seq bigint,
    upto_fixed boolean, size bigint, lost boolean, required_id integer)
language plpgsql stable rows 1 set search_path = oai, pg_temp as $$
declare
    o          horizon;
    r          rule;
    is_counted boolean := count_limit is not null;
begin
    select * into o from horizon n order by n.h desc nulls last limit 1;
    h := o.h;
    last_seq := o.last_seq;
    epoch := o.epoch;
    if "from" is not null then
        earliest := coalesce((select c.datestamp from calendar c order by c.datestamp limit 1), o.h);
    end if;
    if list_position.spec is not null then
        select s.id into set_id from set s where s.spec = list_position.spec;
    end if;
    set_exists := list_position.spec is null or set_id is not null;
    if required <> '{}' then
        select * into r from rule q where q.name = array(select distinct c collate "C"
                                                             from unnest(required) c order by 1)::text;
        if r.set_id is null or r.examined is not null then
            is_counted := false;
        elsif not r.is_universal then
            required_id := r.set_id;
        end if;
    end if;
    after_seq := coalesce(after, case when "from" > earliest then seq_before("from", o.last_seq)
                          else 0 end);
    upto_fixed := upto is not null or coalesce(until <= o.h, false);
    upto_seq := case when upto is not null then upto
                     when upto_fixed then seq_before(until + interval '1 second', o.last_seq)
                     else o.last_seq end;
    if is_counted and set_exists then
        size := case   -- a list without from and until is as long as its counter says
            when after_seq = 0 and upto_seq = o.last_seq and (set_id is null or required_id is null) then
                case when required_id is not null then r.item_count when set_id is null then o.item_count
                     else (select s.item_count from set s where s.id = set_id) end
            when coalesce(set_id, required_id) is null then
                (select case when count(*) <= count_limit then count(*) end
                 from (select from item i where i.seq > after_seq and i.seq <= upto_seq
                       limit count_limit + 1) x)
            else (select case when count(*) <= count_limit then count(*) end
                  from set_page(coalesce(set_id, required_id), after_seq, upto_seq, count_limit + 1,
                                case when set_id is not null then required_id end)) end;
    end if;
    lost := coalesce(o.h >= seen_h and o.last_seq < seen, false);
    -- a statement costs as much as all of the above, so only where it is asked for
    if seen is not null and not lost then
        lost := exists (select from fork f where seen > f.seq and seen_h < f.datestamp)
            or coalesce((select i.datestamp from item i where i.seq <= seen order by i.seq desc
                         limit 1) > seen_h, false)
            or coalesce((select c.before from calendar c where c.datestamp > seen_h
                         order by c.datestamp limit 1) < seen, false);
    end if;
    return next;
end $$;
