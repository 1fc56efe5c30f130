-- SPDX-License-Identifier: MIT
-- What a page of a set costs less: neighbours among its numbers are read by one scan instead of one each, and the bucket in which
-- a datestamp begins is read once instead of searched.

-- Returns the numbers of oai.set_page() as runs without a gap, in ascending order. `numbers` counts those of this run and of all
-- before it: with n of them, the set may have more.
create function oai.set_runs(set_id integer, after bigint, upto bigint, n integer, required_id integer)
returns table (first bigint, last bigint, numbers integer) language plpgsql stable rows 100 as $$
declare
    seq bigint;
begin
    numbers := 0;
    for seq in
        select s from oai.set_page(set_id, after, upto, n) s where required_id is null
        union all
        select s from oai.set_page(set_id, after, upto, n, required_id) s where required_id is not null
    loop
        if seq = last + 1 then
            last := seq;
        else
            if numbers > 0 then
                return next;
            end if;
            first := seq;
            last := seq;
        end if;
        numbers := numbers + 1;
    end loop;
    if numbers > 0 then
        return next;
    end if;
end $$;
revoke execute on function oai.set_runs from public;
grant execute on function oai.set_runs to oai_reader, oai_publisher;

-- As in 003-reader.sql, but for the last step: no search where 16 numbers, neighbours in the index and mostly in the table, can be
-- read at once.
create or replace function oai.seq_before(t timestamptz, last_seq bigint) returns bigint language plpgsql stable as $$
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
    if lo < hi then
        for probe in select i.seq, i.datestamp from oai.item i where i.seq > lo and i.seq <= hi order by i.seq loop
            exit when probe.datestamp >= t;
            lo := probe.seq;
        end loop;
    end if;
    return lo;
end $$;
