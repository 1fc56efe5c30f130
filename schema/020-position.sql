-- SPDX-License-Identifier: MIT
-- oai.position() as in 013-requirements.sql, but `earliest` is null unless "from" is given: no other list needs it, and it would
-- cost each first page a fifth of what finding it costs.
create or replace function oai.position("from" timestamptz, until timestamptz, spec text, after bigint, upto bigint, count_limit integer,
                             seen bigint default null, seen_h timestamptz default null, required text[] default null)
returns table (h timestamptz, last_seq bigint, epoch bigint, earliest timestamptz, set_id integer,
               set_exists boolean, after_seq bigint, upto_seq bigint, upto_fixed boolean, size bigint, lost boolean,
               required_id integer)
language plpgsql stable rows 1 as $$
declare
    o          oai.horizon;
    r          oai.requirement;
    is_counted boolean := count_limit is not null;
begin
    select * into o from oai.horizon n order by n.h desc nulls last limit 1;
    h := o.h;
    last_seq := o.last_seq;
    epoch := o.epoch;
    if "from" is not null then
        earliest := coalesce((select c.datestamp from oai.calendar c order by c.datestamp limit 1), o.h);
    end if;
    if position.spec is not null then
        select s.id into set_id from oai.set s where s.spec = position.spec;
    end if;
    set_exists := position.spec is null or set_id is not null;
    if required <> '{}' then
        select * into r from oai.requirement q where q.columns = array(select distinct c collate "C" from unnest(required) c order by 1);
        if r.set_id is null or r.examined is not null then
            is_counted := false;
        elsif not r.is_universal then
            required_id := r.set_id;
        end if;
    end if;
    after_seq := coalesce(after, case when "from" > earliest then oai.seq_before("from", o.last_seq) else 0 end);
    upto_fixed := upto is not null or coalesce(until <= o.h, false);
    upto_seq := case when upto is not null then upto
                     when upto_fixed then oai.seq_before(until + interval '1 second', o.last_seq)
                     else o.last_seq end;
    if is_counted and set_exists then
        size := case
            when required_id is null then oai.list_size(set_id, after_seq, upto_seq, o, count_limit)
            when set_id is not null then
                (select case when count(*) <= count_limit then count(*) end
                 from oai.set_page(set_id, after_seq, upto_seq, count_limit + 1, required_id))
            when after_seq = 0 and upto_seq = o.last_seq then r.item_count
            else oai.count_set(required_id, after_seq, upto_seq, count_limit) end;
    end if;
    lost := coalesce(o.h >= seen_h and o.last_seq < seen, false);
    if seen is not null and not lost then   -- a statement costs as much as all of the above, so only where it is asked for
        lost := exists (select from oai.fork f where seen > f.seq and seen_h < f.datestamp)
            or coalesce((select i.datestamp from oai.item i where i.seq <= seen order by i.seq desc limit 1) > seen_h, false)
            or coalesce((select c.before from oai.calendar c where c.datestamp > seen_h order by c.datestamp limit 1) < seen, false);
    end if;
    return next;
end $$;
