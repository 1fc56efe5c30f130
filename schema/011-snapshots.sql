-- SPDX-License-Identifier: MIT
-- Notices that an older copy of the whole database has been put back, such as a snapshot of its volume. oai.fork cannot:
-- to the copy it looks as if nothing had happened. The token can, because it says what its list has shown.

-- As in 003-reader.sql, but for `lost`, and with no statement for what is not asked. Numbers above last_seq were lost if the horizon is as far as it was when they
-- were shown. If the lost numbers have been given out again, they show it: what is published after the horizon was at
-- seen_h has numbers above `seen`. So neither the last item up to `seen` has a later datestamp, nor does a later one
-- begin below `seen` in the calendar, which knows every sixteenth number even if its items have moved on.
create or replace function oai.position("from" timestamptz, until timestamptz, spec text, after bigint, upto bigint,
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
    if position.spec is not null then
        select s.id into set_id from oai.set s where s.spec = position.spec;
    end if;
    set_exists := position.spec is null or set_id is not null;
    after_seq := coalesce(after, case when "from" > earliest then oai.seq_before("from", o.last_seq) else 0 end);
    upto_fixed := upto is not null or coalesce(until <= o.h, false);
    upto_seq := case when upto is not null then upto
                     when upto_fixed then oai.seq_before(until + interval '1 second', o.last_seq)
                     else o.last_seq end;
    if count_limit is not null and set_exists then
        size := oai.list_size(set_id, after_seq, upto_seq, o, count_limit);
    end if;
    lost := coalesce(o.h >= seen_h and o.last_seq < seen, false);
    if seen is not null and not lost then   -- a statement costs as much as all of the above, so only where it is asked for
        lost := exists (select from oai.fork f where seen > f.seq and seen_h < f.datestamp)
            or coalesce((select i.datestamp from oai.item i where i.seq <= seen order by i.seq desc limit 1) > seen_h, false)
            or coalesce((select c.before from oai.calendar c where c.datestamp > seen_h order by c.datestamp limit 1) < seen, false);
    end if;
    return next;
end $$;
