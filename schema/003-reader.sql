-- SPDX-License-Identifier: MIT
-- The questions of the reading side that need more than one index walk. All of bounded cost.

-- The last number with a datestamp before t. Datestamps never fall as seq grows: the calendar leads to the bucket of 16
-- numbers in which t would begin, a binary search over the items to the number. So it costs the same at any size.
create function oai.seq_before(t timestamptz, last_seq bigint) returns bigint language plpgsql stable as $$
declare
    lo    bigint := coalesce((select c.before from oai.calendar c where c.datestamp <= t
                              order by c.datestamp desc limit 1), 0);          -- every item up to lo is earlier than t
    hi    bigint := coalesce((select c.before from oai.calendar c where c.datestamp >= t
                              order by c.datestamp limit 1), last_seq);        -- no item after hi is
    mid   bigint := (lo / 16 + 1) * 16;   -- between here and hi there is one datestamp: it began in the bucket
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

-- Datestamps that are not found where they begin; none when all is well. Reads everything: for `oai check`.
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

-- Up to n numbers of a set, after < seq <= upto, ascending. A number may belong to no item any more: the caller
-- joins, skips and reads on. No LIMIT on the loop: the planner would read more, not less.
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

-- How many numbers a set has in after < seq <= upto; null beyond count_limit.
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

-- completeListSize of a list between two numbers: exact, or null where counting would cost too much.
create function oai.list_size(set_id integer, after bigint, upto bigint, o oai.horizon, count_limit integer)
returns bigint language plpgsql stable as $$
declare
    counted bigint;
begin
    if after = 0 and upto = o.last_seq then   -- an undated list has its counter
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

-- The number behind which the page begins that has n records and ends with `upto`; `after` where the list begins first.
-- For whoever leafs back.
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

-- About how many numbers the whole list has in after < seq <= upto: counted where that is no more than 256 steps, else
-- from eight samples of 32 numbers.
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

-- The same for a set: counted where 16 chunks hold them, else from the density of numbers at 16 places, each that of the
-- chunk which it meets between the chunk's first number and its last; there is none between chunks.
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

-- How many records have a datestamp between one of `bounds` and the next, of a set, or of all where spec is null. Its
-- cost grows with the bounds alone: what cannot be counted so is estimated, and not `exact`.
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
            if upto <= after then   -- years without a record cost nothing
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

-- Where a list stands, in the snapshot of its page. Any argument may be null.
--   from, until  first and last second asked for
--   spec         setSpec
--   after, upto  numbers that an earlier page has settled; they make `from` and `until` needless
--   count_limit  null: do not count
--   seen, seen_h earlier pages have shown numbers up to `seen`, which was all up to the second seen_h: was that `lost`?
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
