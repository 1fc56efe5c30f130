-- SPDX-License-Identifier: MIT
-- What formats require (`requires` in formats.md). The records that have it are kept like a set that nobody
-- sees, so that a list in a format that one record in a million has is read as a list of a rare set is. The
-- publisher registers what the formats directory asks for, examines the items that there are, some in each
-- round, and from then on keeps the list. The ids of requirements begin at 2^30: they share oai.set_chunk
-- with the sets.

-- The condition for columns of oai.record. It holds wherever a server finds a value, which is neither NULL
-- nor an array without entries. It must hold wherever a tombstone is, too: harvesters learn of deletions in
-- every format.
create or replace function oai.requirement_condition(columns text[]) returns text language sql stable as $$
    select 'r.deleted or ' || coalesce(string_agg(coalesce((
               select '(' || string_agg(
                   format(case when a.atttypid = any ('{text[],varchar[],integer[],xml[]}'::regtype[])
                               then 'cardinality(r.%I) > 0' else 'r.%I is not null' end, a.attname),
                   ' or ' order by a.attnum) || ')'
               from pg_attribute a
               where a.attrelid = to_regclass('oai.record') and a.attnum > 6 and not a.attisdropped
                 and a.attname in (c.name, c.name || '_id')), 'false'), ' and ' order by c.name), 'true')
    from unnest(columns) c(name)
$$;

-- What formats ask for, an array of arrays of names of columns: each once, in order, with its condition.
create or replace function oai.wanted_requirements(wanted jsonb) returns table (columns text[],
    condition text) language sql stable as $$
    select x.columns, oai.requirement_condition(x.columns)
    from (select distinct
                 array(select distinct c collate "C" from jsonb_array_elements_text(w) c
                       order by 1) as columns
          from jsonb_array_elements(wanted) w) x
    where x.columns <> '{}'
$$;

-- Registers what formats require. What means something else since oai.record has changed is given up, and so
-- is what nobody has asked for in an hour: publishers whose formats differ for a while must not undo each
-- other's work. Publishers call it now and then; nearly always there is nothing to do.
create or replace function oai.register_requirements(wanted jsonb) returns void language plpgsql as $$
begin
    if not exists (select from oai.wanted_requirements(wanted) n left join oai.requirement r using (columns)
                   where r.condition is distinct from n.condition
                      or r.wanted_at < now() - interval '1 minute')
       and not exists (select from oai.requirement r
                       where r.columns is not null and r.wanted_at < now() - interval '1 hour') then
        return;
    end if;
    perform set_config('lock_timeout', '10s', true);   -- as oai.publish() waits
    perform from oai.horizon for update;   -- publications wait
    update oai.requirement r set columns = null
    from oai.wanted_requirements(wanted) n where n.columns = r.columns and n.condition <> r.condition;
    insert into oai.requirement (columns, condition, examined)
    select n.columns, n.condition, case when (select o.last_seq from oai.horizon o) > 0 then 0 end
    from oai.wanted_requirements(wanted) n on conflict (columns) do update set wanted_at = now();
    update oai.requirement r set columns = null where r.wanted_at < now() - interval '1 hour';
end $$;

-- Adds the numbers of the slice to the requirements that their items meet now.
create or replace function oai.meet_requirements() returns void language plpgsql as $$
declare
    -- Of a universal requirement the items are collected that do not meet it.
    probes constant text := (select string_agg(format('(%s, (%s) is %s)', r.set_id, r.condition,
                                 case when r.is_universal then 'not true' else 'true' end), ', ')
        from oai.requirement r where r.columns is not null and r.examined is null);
begin
    delete from pg_temp.posting;
    if probes is null then return; end if;
    begin
        execute format('insert into pg_temp.posting
                        select p.set_id, %L, $1, array_agg((s.new_seq - $1)::integer order by s.new_seq)
                        from pg_temp.slice s join oai.record r on r.id = s.id,
                             lateral (values %s) p(set_id, is_found)
                        where s.new_seq is not null and p.is_found group by p.set_id', '{}', probes)
            using (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
    exception
        when lock_not_available then raise;
        when others then
            raise warning 'what formats require is examined anew: %', sqlerrm;
            update oai.requirement set columns = null;
            return;
    end;
    with broken as (update oai.requirement r set is_universal = false, examined = 0
        from pg_temp.posting p where r.set_id = p.set_id and r.is_universal returning r.set_id)
    delete from pg_temp.posting p using broken b where p.set_id = b.set_id;
    perform oai.move_postings();
end $$;

-- Examines up to 5,000 items for a requirement that has to catch up.
create or replace function oai.examine_items(inout r oai.requirement, last_seq bigint)
language plpgsql set enable_seqscan = off as $$
declare part record;
begin
    execute format('select count(*) as looked, max(x.seq) as last,
                           array_agg(x.seq order by x.seq) filter (where x.is_met) as met
                    from (select r.seq, (%s) is true as is_met from oai.record r
                          where r.seq > $1 and r.seq <= $2 order by r.seq limit 5000) x', r.condition)
        into part using r.examined, last_seq;
    -- from the beginning, now with chunks
    if r.is_universal and part.looked > coalesce(cardinality(part.met), 0) then
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
        raise warning 'what formats require (%) is examined anew: %', array_to_string(r.columns, ' '),
            sqlerrm;
        r.columns := null;
        r.examined := null;
end $$;

-- Examines items for requirements that have to catch up, until the time `until` has come, but some in any
-- case; and removes a part of the chunks of those that were given up. Returns whether there is more to do.
create or replace function oai.catch_up_requirements(last_seq bigint, until timestamptz) returns boolean
language plpgsql as $$
declare r oai.requirement;
begin
    for r in select * from oai.requirement q where q.columns is null loop
        delete from oai.set_chunk k
        where k.set_id = r.set_id and k.first_seq = any (array(
            select p.first_seq from oai.set_chunk p where p.set_id = r.set_id order by p.first_seq
            limit 1000));
        if not found then delete from oai.requirement q where q.set_id = r.set_id; end if;
    end loop;
    for r in select * from oai.requirement q where q.examined is not null and q.columns is not null
        order by q.set_id loop
        loop
            r := oai.examine_items(r, last_seq);
            exit when r.examined is null or clock_timestamp() > until;
        end loop;
        update oai.requirement q set columns = r.columns, examined = r.examined,
            is_universal = r.is_universal, item_count = r.item_count
        where q.set_id = r.set_id;
        exit when clock_timestamp() > until;
    end loop;
    return exists (select from oai.requirement q where q.examined is not null or q.columns is null);
end $$;

-- The numbers of each requirement; of those that catch up, as far as they have come. Reads everything.
create or replace function oai.requirement_members() returns table (set_id integer, seq bigint)
language plpgsql stable as $$
declare r oai.requirement;
begin
    for r in select * from oai.requirement q where q.columns is not null and not q.is_universal loop
        return query execute format(
            'select $1, r.seq from oai.record r where r.seq <= coalesce($2, r.seq) and (%s)', r.condition)
            using r.set_id, r.examined;
    end loop;
end $$;
