-- SPDX-License-Identifier: MIT
-- What formats require (`requires` in FORMATS.md). The records that have it are kept like a set that nobody sees, so that
-- a list in a format that one record in a million has is read as a list of a rare set is. The publisher registers what
-- the formats directory asks for, examines the items that there are, some in each round, and from then on keeps the list.

-- The ids from here on belong to requirements, which share oai.set_chunk with the sets.
alter table oai.set add constraint below_requirements check (id < 1073741824);

create table oai.requirement (
    set_id       integer generated always as identity (start with 1073741824) primary key,
    columns      text[] collate "C" unique,   -- names as stylesheets see them, ascending; null: given up, its chunks are being removed
    condition    text not null,   -- SQL about a row r of oai.record: whether it has a value in each of the columns
    -- Items with numbers up to this were examined; null: all were, and each publication keeps the list right.
    examined     bigint default 0,
    -- No item that was examined lacks what is required: there are no chunks, because the list is that of all items.
    is_universal boolean not null default true,
    item_count   bigint not null default 0,   -- as that of oai.set; not kept while is_universal
    wanted_at    timestamptz not null default now()   -- when a publisher last asked for it, to the minute
);

-- The condition for columns of oai.record. It holds wherever a server finds a value, which is neither NULL nor an array
-- without entries. It must hold wherever a tombstone is, too: harvesters learn of deletions in every format.
create function oai.requirement_condition(columns text[]) returns text language sql stable as $$
    select 'r.deleted or ' || coalesce(string_agg(
               coalesce((select '(' || string_agg(case when a.atttypid = any ('{text[],varchar[],integer[],xml[]}'::regtype[])
                                                       then format('cardinality(r.%I) > 0', a.attname)
                                                       else format('r.%I is not null', a.attname) end, ' or ' order by a.attnum) || ')'
                         from pg_attribute a
                         where a.attrelid = to_regclass('oai.record') and a.attnum > 6 and not a.attisdropped
                           and a.attname in (c.name, c.name || '_id')), 'false'), ' and ' order by c.name), 'true')
    from unnest(columns) c(name)
$$;

-- What the formats ask for: an array of arrays of names of columns, in order and each once, with their conditions.
create function oai.wanted_requirements(wanted jsonb) returns table (columns text[], condition text) language sql stable as $$
    select x.columns, oai.requirement_condition(x.columns)
    from (select distinct array(select distinct c collate "C" from jsonb_array_elements_text(w) c order by 1) as columns
          from jsonb_array_elements(wanted) w) x
    where x.columns <> '{}'
$$;

-- Registers what formats require. What means something else since oai.record has changed is given up, and so is what
-- nobody has asked for in an hour: publishers whose formats differ for a while must not undo each other's work. Publishers
-- call it now and then; nearly always there is nothing to do.
create function oai.register_requirements(wanted jsonb) returns void language plpgsql as $$
begin
    if not exists (select from oai.wanted_requirements(wanted) n left join oai.requirement r using (columns)
                   where r.condition is distinct from n.condition or r.wanted_at < now() - interval '1 minute')
       and not exists (select from oai.requirement r where r.columns is not null and r.wanted_at < now() - interval '1 hour') then
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

-- As in 002-publisher.sql, and the numbers that leave requirements. What enters them is known later.
alter function oai.collect_postings rename to collect_set_postings;
create function oai.collect_postings() returns void language plpgsql as $$
begin
    perform oai.collect_set_postings();
    insert into pg_temp.posting
    select r.set_id, array_agg(s.old_seq::integer order by s.old_seq), '{}'
    from oai.requirement r, pg_temp.slice s,
         lateral (select k.seqs from oai.set_chunk k where k.set_id = r.set_id and k.first_seq <= s.old_seq
                  order by k.first_seq desc limit 1) k
    where r.columns is not null and not r.is_universal and s.old_seq = any (k.seqs)
    group by r.set_id;
end $$;

-- As in 008-protection.sql; the second half can be called for requirements alone.
create or replace function oai.move_numbers() returns void language plpgsql as $$
begin
    perform oai.collect_postings();
    update oai.set s set item_count = s.item_count + cardinality(p.come) - cardinality(p.gone), held = true
    from pg_temp.posting p where s.id = p.set_id and (cardinality(p.come) <> cardinality(p.gone) or not s.held);
    perform oai.move_postings();
end $$;

create function oai.move_postings() returns void language plpgsql as $$
begin
    update oai.requirement r set item_count = r.item_count + cardinality(p.come) - cardinality(p.gone)
    from pg_temp.posting p where r.set_id = p.set_id and cardinality(p.come) <> cardinality(p.gone);
    with place as materialized (   -- so that each number is looked up only once
        select p.set_id, k.first_seq, k.seqs, u.seq
        from pg_temp.posting p, unnest(p.gone) u(seq),
             lateral (select k.first_seq, k.seqs from oai.set_chunk k
                      where k.set_id = p.set_id and k.first_seq <= u.seq order by k.first_seq desc limit 1) k),
    gone as (
        select set_id, first_seq, max(seqs) as seqs, array_agg(seq) as gone from place group by 1, 2),
    kept as (
        select set_id, first_seq,
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])   -- the usual case, and faster
                    else array(select n from unnest(seqs) with ordinality u(n, o) where n <> all (gone) order by o)
               end as seqs
        from gone),
    come as (
        select p.set_id, p.come, k.first_seq, k.seqs
        from pg_temp.posting p left join lateral (
            select k.first_seq, k.seqs from oai.set_chunk k
            where k.set_id = p.set_id order by k.first_seq desc limit 1) k
        on cardinality(k.seqs) + cardinality(p.come) <= 128
        where p.come <> '{}'),
    changed as (
        select set_id, first_seq, coalesce(kept.seqs, t.seqs) || coalesce(t.come, '{}') as seqs
        from kept full join (select * from come where first_seq is not null) t using (set_id, first_seq)),
    emptied as (
        delete from oai.set_chunk k using changed c
        where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) = 0),
    added as (
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select c.set_id, c.come[i], c.come[i : i + 127]
        from come c, generate_series(1, cardinality(c.come), 128) i
        where c.first_seq is null)
    update oai.set_chunk k set seqs = c.seqs from changed c
    where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) > 0;
end $$;

-- Adds the numbers of the slice to the requirements that their items meet now.
create function oai.meet_requirements() returns void language plpgsql as $$
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
                        select p.set_id, %L, array_agg(s.new_seq::integer order by s.new_seq)
                        from pg_temp.slice s join oai.record r on r.id = s.id, lateral (values %s) p(set_id, is_found)
                        where s.new_seq is not null and p.is_found group by p.set_id', '{}', probes);
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

-- Examines up to 5,000 items for a requirement that has to catch up.
create function oai.examine_items(inout r oai.requirement, last_seq bigint) language plpgsql set enable_seqscan = off as $$
declare
    part record;
begin
    execute format('select count(*) as looked, max(x.seq) as last, array_agg(x.seq order by x.seq) filter (where x.is_met) as met
                    from (select r.seq::integer as seq, (%s) is true as is_met from oai.record r
                          where r.seq > $1 and r.seq <= $2 order by r.seq limit 5000) x', r.condition)
        into part using r.examined, last_seq;
    if r.is_universal and part.looked > coalesce(cardinality(part.met), 0) then   -- from the beginning, now with chunks
        r.is_universal := false;
        r.examined := 0;
        return;
    end if;
    if not r.is_universal then
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select r.set_id, part.met[i], part.met[i : i + 127] from generate_series(1, cardinality(part.met), 128) i;
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

-- Examines items for requirements that have to catch up, until the time `until` has come, but some in any case; and removes
-- a part of the chunks of those that were given up. Returns whether there is more to do.
create function oai.catch_up_requirements(last_seq bigint, until timestamptz) returns boolean language plpgsql as $$
declare
    r oai.requirement;
begin
    for r in select * from oai.requirement q where q.columns is null loop
        delete from oai.set_chunk k
        where k.set_id = r.set_id and k.first_seq = any (array(
            select p.first_seq from oai.set_chunk p where p.set_id = r.set_id order by p.first_seq limit 1000));
        if not found then
            delete from oai.requirement q where q.set_id = r.set_id;
        end if;
    end loop;
    for r in select * from oai.requirement q where q.examined is not null and q.columns is not null order by q.set_id loop
        loop
            r := oai.examine_items(r, last_seq);
            exit when r.examined is null or clock_timestamp() > until;
        end loop;
        update oai.requirement q set columns = r.columns, examined = r.examined, is_universal = r.is_universal, item_count = r.item_count
        where q.set_id = r.set_id;
        exit when clock_timestamp() > until;
    end loop;
    return exists (select from oai.requirement q where q.examined is not null or q.columns is null);
end $$;

-- As in 010-packing.sql, and catches up with requirements in what is left of the second.
alter function oai.publish_slice rename to publish_and_pack;
create function oai.publish_slice(inout w oai.walk, before oai.horizon, t timestamptz, records integer, keep_deleted boolean,
                                  avoid boolean, out published integer, out kept boolean, out more boolean)
language plpgsql as $$
declare
    round    record;
    last_seq bigint;
begin
    select * into round from oai.publish_and_pack(w, before, t, records, keep_deleted, avoid);
    w := round.w;
    published := round.published;
    kept := round.kept;
    more := round.more;
    if published > 0 then
        perform oai.meet_requirements();
    end if;
    if before.h is not null then
        select greatest(before.last_seq, max(s.new_seq)) into last_seq from pg_temp.slice s;
        more := oai.catch_up_requirements(last_seq, greatest(statement_timestamp() + interval '0.6 s',
                                                             clock_timestamp() + interval '0.1 s')) or more;
    end if;
end $$;

-- As in 010-packing.sql, but the chunks of requirements belong to the table, too.
create or replace function oai.move_chunks(inout w oai.walk, pages integer) language plpgsql as $$
declare
    page_bytes constant integer := current_setting('block_size')::integer;
    vacuums    constant bigint  := pg_stat_get_vacuum_count('oai.set_chunk'::regclass)
                                   + pg_stat_get_autovacuum_count('oai.set_chunk'::regclass);
    low        bigint;
    moved      bigint;
    in_front   bigint;
begin
    if w.packed_block is null then
        if vacuums is not distinct from w.packed_vacuums then
            return;
        end if;
        w.packed_vacuums := vacuums;
        w.packed_block := pg_relation_size('oai.set_chunk') / page_bytes;
        -- What full chunks would take in full pages: 4 bytes for each number, 72 for each row.
        select 1.1 * sum(4 * n.items + 72 * ((n.items + 127) / 128)) / page_bytes + 8 into w.packed_floor
        from (select s.item_count as items from oai.set s union all select r.item_count from oai.requirement r) n;
        if w.packed_block < 1.1 * w.packed_floor then
            w.packed_block := null;
            return;
        end if;
    end if;
    low := greatest(w.packed_block - pages, w.packed_floor);
    with gone as (
        delete from oai.set_chunk k
        where k.ctid >= format('(%s,0)', low)::tid and k.ctid < format('(%s,0)', w.packed_block)::tid returning k.*),
    come as (insert into oai.set_chunk select * from gone returning (ctid::text::point)[0] as page)
    select count(*), count(*) filter (where page < low) into moved, in_front from come;
    -- If most of them went to the end again, there is no room before the next VACUUM.
    w.packed_block := case when low > w.packed_floor and 2 * in_front >= moved then low end;
end $$;

-- The numbers above `after` of the first chunk of a set that has any; null: the set has none.
create function oai.numbers_after(set_id integer, after bigint) returns integer[] language plpgsql stable as $$
declare
    numbers integer[] := array(
        select n from unnest((select k.seqs from oai.set_chunk k where k.set_id = numbers_after.set_id and k.first_seq <= after + 1
                              order by k.first_seq desc limit 1)) n where n > after);
begin
    if numbers = '{}' then
        numbers := (select k.seqs from oai.set_chunk k where k.set_id = numbers_after.set_id and k.first_seq > after + 1
                    order by k.first_seq limit 1);
    end if;
    return numbers;
end $$;

-- As oai.set_page() in 003-reader.sql, but only numbers that also belong to the requirement `required_id`, if it is not null.
-- The cost grows with the chunks of the one that has fewer: it leaps from a chunk of one over all of the other that end before.
create function oai.set_page(set_id integer, after bigint, upto bigint, n integer, required_id integer)
returns setof bigint language plpgsql stable rows 100 as $$
declare
    a     integer[];
    b     integer[];
    seq   integer;
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

-- As in 011-snapshots.sql, and for a list in a format with requirements:
--   required     the names of the columns that the format requires; null: none
--   required_id  the list is that of the items of the set that also belong to this requirement, or of its items if no set is
--                asked for. Null: nothing is required, or all items have it, or it is not known yet which ones; then the caller
--                looks at each record.
-- The size is that of the list in that format; null as long as it is not known which items have what it requires.
drop function oai.position(timestamptz, timestamptz, text, bigint, bigint, integer, bigint, timestamptz);
create function oai.position("from" timestamptz, until timestamptz, spec text, after bigint, upto bigint, count_limit integer,
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
    earliest := coalesce((select c.datestamp from oai.calendar c order by c.datestamp limit 1), o.h);
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

-- The numbers that belong to each requirement; of those that catch up, as far as they have come. Reads everything.
create function oai.requirement_members() returns table (set_id integer, seq bigint) language plpgsql stable as $$
declare
    r oai.requirement;
begin
    for r in select * from oai.requirement q where q.columns is not null and not q.is_universal loop
        return query execute format('select $1, r.seq from oai.record r where r.seq <= coalesce($2, r.seq) and (%s)', r.condition)
            using r.set_id, r.examined;
    end loop;
end $$;

-- As in 002-publisher.sql, and for the chunks of requirements. Items that have changed and are not yet published again may
-- belong to other requirements already.
create or replace function oai.check_chunks() returns table (set_id integer, first_seq bigint, problem text)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with posting as (
        select k.set_id, k.first_seq, u.seq, u.o,
               lag(u.seq) over (partition by k.set_id order by k.first_seq, u.o) as previous
        from oai.set_chunk k, unnest(k.seqs) with ordinality u(seq, o)),
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

revoke execute on function oai.requirement_condition, oai.wanted_requirements, oai.register_requirements, oai.collect_postings, oai.move_postings, oai.meet_requirements,
    oai.examine_items, oai.catch_up_requirements, oai.publish_slice, oai.numbers_after,
    oai.set_page(integer, bigint, bigint, integer, integer), oai.position, oai.requirement_members from public;
grant execute on function oai.requirement_condition, oai.wanted_requirements, oai.register_requirements, oai.collect_postings, oai.move_postings, oai.meet_requirements,
    oai.examine_items, oai.catch_up_requirements, oai.publish_slice to oai_publisher;
grant execute on function oai.numbers_after, oai.set_page(integer, bigint, bigint, integer, integer), oai.position,
    oai.requirement_members to oai_reader, oai_publisher;
grant select on oai.requirement to oai_reader, oai_publisher;
grant insert, update, delete on oai.requirement to oai_publisher;
