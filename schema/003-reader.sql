-- SPDX-License-Identifier: MIT
-- The functions of the reading side for what takes more than a single index scan. The cost of each is bounded.

-- Returns the last number whose datestamp is before t, 0 if there is none. Datestamps never fall as seq grows: the
-- calendar yields the bucket of 16 numbers in which t would begin, and a binary search over the items of the bucket
-- the number. So the cost does not depend on the size of the repository.
create function oai.seq_before(t timestamptz, last_seq bigint) returns bigint language plpgsql stable as $$
declare
    lo    bigint := coalesce((select c.before from oai.calendar c where c.datestamp <= t
                              order by c.datestamp desc limit 1), 0);          -- every item with seq <= lo is earlier than t
    hi    bigint := coalesce((select c.before from oai.calendar c where c.datestamp >= t
                              order by c.datestamp limit 1), last_seq);        -- no item with seq > hi is earlier than t
    mid   bigint := (lo / 16 + 1) * 16;   -- no datestamp begins between here and hi: the one there began within the bucket
    probe record;
begin
    if mid < hi then
        select i.datestamp into probe from oai.item i where i.seq > mid and i.seq <= hi order by i.seq limit 1;
        if found and probe.datestamp < t then
            return hi;
        end if;
        hi := mid;
    end if;
    while lo < hi loop
        mid := (lo + hi) / 2;
        select i.seq, i.datestamp into probe from oai.item i
        where i.seq > mid and i.seq <= hi order by i.seq limit 1;
        if found and probe.datestamp < t then
            lo := probe.seq;
        else
            hi := mid;
        end if;
    end loop;
    return lo;
end $$;

-- Returns the datestamps that oai.seq_before() does not find where they begin; none if all is well. Reads everything:
-- meant for `oai check`.
create function oai.check_calendar() returns table (datestamp timestamptz, problem text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    select b.datestamp, format('begins with number %s, but is looked for behind %s', b.seq, f.found)
    from (select i.seq, i.datestamp, lag(i.seq, 1, 0::bigint) over w as last, lag(i.datestamp) over w as previous
          from oai.item i where i.seq > 0 window w as (order by i.seq)) b,
         oai.horizon o, oai.seq_before(b.datestamp, o.last_seq) f(found)
    where b.datestamp is distinct from b.previous and f.found not between b.last and b.seq - 1;
end $$;

-- Returns up to n numbers of a set with after < seq <= upto, in ascending order. A number may no longer belong to an
-- item: the caller joins, skips it and reads on. The query of the loop has no LIMIT, with which the planner would read
-- more, not less.
create function oai.set_page(set_id integer, after bigint, upto bigint, n integer)
returns setof bigint language plpgsql stable rows 100 as $$
declare
    chunk integer[];
    seq   integer;
    taken integer := 0;
begin
    for chunk in
        select k.seqs from oai.set_chunk k
        where k.set_id = set_page.set_id and k.first_seq <= upto
          and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                       where p.set_id = set_page.set_id and p.first_seq <= after + 1), 0)
        order by k.first_seq
    loop
        foreach seq in array chunk loop
            continue when seq <= after;
            if seq > upto or taken >= n then
                return;
            end if;
            return next seq;
            taken := taken + 1;
        end loop;
    end loop;
end $$;

-- Returns how many numbers a set has with after < seq <= upto; null if there are more than count_limit.
create function oai.count_set(set_id integer, after bigint, upto bigint, count_limit integer)
returns bigint language plpgsql stable as $$
declare
    chunk integer[];
    total bigint := 0;
begin
    for chunk in
        select k.seqs from oai.set_chunk k
        where k.set_id = count_set.set_id and k.first_seq <= upto
          and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                       where p.set_id = count_set.set_id and p.first_seq <= after + 1), 0)
        order by k.first_seq
    loop
        if chunk[1] > after and chunk[cardinality(chunk)] <= upto then
            total := total + cardinality(chunk);
        else
            total := total + (select count(*) from unnest(chunk) s where s > after and s <= upto);
        end if;
        if total > count_limit then
            return null;
        end if;
    end loop;
    return total;
end $$;

-- Returns the completeListSize of a list between two numbers: exact, or null where counting would cost too much.
-- set_id null means the list of all items.
create function oai.list_size(set_id integer, after bigint, upto bigint, o oai.horizon, count_limit integer)
returns bigint language plpgsql stable as $$
declare
    counted bigint;
begin
    if after = 0 and upto = o.last_seq then   -- a list without from and until is as long as its counter says
        if set_id is null then
            return o.item_count;
        end if;
        return (select s.item_count from oai.set s where s.id = set_id);
    end if;
    if set_id is not null then
        return oai.count_set(set_id, after, upto, count_limit);
    end if;
    select count(*) into counted
    from (select from oai.item i where i.seq > after and i.seq <= upto limit count_limit + 1) x;
    return case when counted <= count_limit then counted end;
end $$;

-- For links to the previous page: returns the number after which the page begins that has n records and ends with
-- `upto`; or `after`, if the list has no more than n records there.
create function oai.page_before(set_id integer, after bigint, upto bigint, n integer)
returns bigint language plpgsql stable as $$
declare
    chunk integer[];
    taken integer := 0;
begin
    if set_id is null then
        return coalesce((select i.seq from oai.item i where i.seq > after and i.seq <= upto
                         order by i.seq desc offset n limit 1), after);
    end if;
    for chunk in
        select k.seqs from oai.set_chunk k
        where k.set_id = page_before.set_id and k.first_seq <= upto order by k.first_seq desc
    loop
        for place in reverse cardinality(chunk) .. 1 loop
            continue when chunk[place] > upto;
            if chunk[place] <= after then
                return after;
            end if;
            if taken = n then
                return chunk[place];
            end if;
            taken := taken + 1;
        end loop;
    end loop;
    return after;
end $$;

-- Estimates how many numbers the whole list has with after < seq <= upto: counts them if the range is no wider than
-- 256, otherwise extrapolates from eight samples of 32 numbers.
create function oai.estimate_list(after bigint, upto bigint, out size bigint, out exact boolean)
language plpgsql stable as $$
declare
    width bigint := upto - after;
begin
    exact := width <= 256;
    if exact then
        select count(*) into size from oai.item i where i.seq > after and i.seq <= upto;
        return;
    end if;
    select count(*) * width / 256 into size
    from generate_series(0, 7) s(sample),
         lateral (select from oai.item i where i.seq > after + width * s.sample / 8
                                           and i.seq <= after + width * s.sample / 8 + 32 offset 0) hit;
end $$;

-- The same for a set: counts the numbers if they stand in no more than 16 chunks. Otherwise it averages the density of
-- numbers at 16 places: within a chunk (between its first number and its last) that of the chunk, between chunks zero.
create function oai.estimate_set(set_id integer, after bigint, upto bigint, out size bigint, out exact boolean)
language plpgsql stable as $$
begin
    select count(*) <= 16,
           coalesce(sum(case when k.first_seq > after and k.seqs[cardinality(k.seqs)] <= upto then cardinality(k.seqs)
                             else (select count(*) from unnest(k.seqs) s where s > after and s <= upto) end), 0)
    into exact, size
    from (select k.first_seq, k.seqs from oai.set_chunk k
          where k.set_id = estimate_set.set_id and k.first_seq <= upto
            and k.first_seq >= coalesce((select max(p.first_seq) from oai.set_chunk p
                                         where p.set_id = estimate_set.set_id and p.first_seq <= after + 1), 0)
          order by k.first_seq limit 17) k;
    if exact then
        return;
    end if;
    select coalesce(sum(case when p.place <= k.seqs[cardinality(k.seqs)]
                             then cardinality(k.seqs)::double precision / (k.seqs[cardinality(k.seqs)] - k.first_seq + 1)
                        end) / 16 * (upto - after), 0)::bigint
    into size
    from generate_series(0, 15) s(sample), lateral (values (after + (upto - after) * (2 * s.sample + 1) / 32)) p(place),
         lateral (select k.first_seq, k.seqs from oai.set_chunk k
                  where k.set_id = estimate_set.set_id and k.first_seq <= p.place order by k.first_seq desc limit 1) k;
end $$;

-- Returns, for each of `bounds` but the last, how many records have a datestamp from this bound to before the next: of
-- the set, or of all records where spec is null. The cost grows only with the number of bounds, because what is too
-- much to be counted is estimated (`exact` is then false).
create function oai.histogram(spec text, bounds timestamptz[])
returns table (size bigint, exact boolean) language plpgsql stable as $$
declare
    o      oai.horizon;
    set_id integer := (select s.id from oai.set s where s.spec = histogram.spec);
    after  bigint;
    upto   bigint;
begin
    select * into o from oai.horizon n order by n.h desc nulls last limit 1;
    for bound in 1 .. cardinality(bounds) loop
        upto := case when after = o.last_seq or bounds[bound] > o.h then o.last_seq
                     else oai.seq_before(bounds[bound], o.last_seq) end;
        if bound > 1 then
            if upto <= after then   -- a time without records needs no query
                size := 0;
                exact := true;
            elsif histogram.spec is null then
                select e.size, e.exact into size, exact from oai.estimate_list(after, upto) e;
            else
                select e.size, e.exact into size, exact from oai.estimate_set(set_id, after, upto) e;
            end if;
            return next;
        end if;
        after := upto;
    end loop;
end $$;

-- Everything that a page of a list needs to know before it reads records, from one snapshot. Any argument may be null.
--   from, until  first and last second asked for
--   spec         setSpec
--   after, upto  bounds that an earlier page has fixed; they take the place of `from` and `until`
--   count_limit  null: do not count
--   seen, seen_h earlier pages have shown numbers up to `seen` while the horizon was at seen_h; the result `lost` says
--                whether numbers among these were lost in a failover (oai.fork)
create function oai.position("from" timestamptz, until timestamptz, spec text, after bigint, upto bigint,
                             count_limit integer, seen bigint default null, seen_h timestamptz default null)
returns table (h timestamptz, last_seq bigint, epoch bigint, earliest timestamptz, set_id integer,
               set_exists boolean, after_seq bigint, upto_seq bigint, upto_fixed boolean, size bigint, lost boolean)
language plpgsql stable rows 1 as $$
declare
    o oai.horizon;
begin
    select * into o from oai.horizon n order by n.h desc nulls last limit 1;
    h := o.h;
    last_seq := o.last_seq;
    epoch := o.epoch;
    earliest := coalesce((select c.datestamp from oai.calendar c order by c.datestamp limit 1), o.h);
    select s.id into set_id from oai.set s where s.spec = position.spec;
    set_exists := position.spec is null or set_id is not null;
    after_seq := coalesce(after, case when "from" > earliest then oai.seq_before("from", o.last_seq) else 0 end);
    upto_fixed := upto is not null or coalesce(until <= o.h, false);
    upto_seq := case when upto is not null then upto
                     when upto_fixed then oai.seq_before(until + interval '1 second', o.last_seq)
                     else o.last_seq end;
    if count_limit is not null and set_exists then
        size := oai.list_size(set_id, after_seq, upto_seq, o, count_limit);
    end if;
    lost := seen is not null and exists (select from oai.fork f where seen > f.seq and seen_h < f.datestamp);
    return next;
end $$;
