-- SPDX-License-Identifier: MIT
-- Rules: a name, and a condition over the columns of oai.record. Of a rule in a file (NAME.set) the items
-- that meet the condition are a set, like any other: the publisher adds it to their leaf sets as it numbers
-- them, and of a rule that comes, changes or goes it queues the items that enter or leave, some in a round,
-- so that they get a new number and datestamp. What formats require is a rule that nobody sees: its list is
-- kept beside the items, moves no datestamp, and lets a list in a format that one record in a million has be
-- read as a list of a rare set is. The ids of hidden rules begin at 2^30: they share oai.set_chunk with the
-- sets.

-- What formats ask for, an array of arrays of names of columns of oai.record: each once, in order, with its
-- condition. It holds wherever a server finds a value, which is neither NULL nor an array without entries. It
-- must hold wherever a tombstone is, too: harvesters learn of deletions in every format.
create or replace function oai.wanted_requirements(wanted jsonb) returns table (name text, condition text)
language sql stable as $$
    select x.columns::text,
           'r.deleted or ' || string_agg(coalesce(a.condition, 'false'), ' and ' order by c.name)
    from (select distinct
                 array(select distinct c collate "C" from jsonb_array_elements_text(w) c
                       order by 1) as columns
          from jsonb_array_elements(wanted) w) x
    cross join unnest(x.columns) c(name)
    cross join lateral (
        select '(' || string_agg(format(
                   case when a.atttypid = any ('{text[],varchar[],integer[],xml[]}'::regtype[])
                        then 'cardinality(r.%I) > 0' else 'r.%I is not null' end, a.attname),
                   ' or ' order by a.attnum) || ')' as condition
        from pg_attribute a
        where a.attrelid = to_regclass('oai.record') and a.attnum > 6 and not a.attisdropped
          and a.attname in (c.name, c.name || '_id')) a group by x.columns
$$;

-- Registers what formats require. What means something else since oai.record has changed is given up, and so
-- is what nobody has asked for in an hour: publishers whose formats differ for a while must not undo each
-- other's work. Publishers call it now and then; nearly always there is nothing to do.
create or replace function oai.register_requirements(wanted jsonb) returns void language plpgsql as $$
begin
    if not exists (select from oai.wanted_requirements(wanted) n left join oai.rule r using (name)
                   where r.condition is distinct from n.condition
                      or r.wanted_at < now() - interval '1 minute')
       and not exists (select from oai.rule r where r.is_hidden and r.name is not null
                                                and r.wanted_at < now() - interval '1 hour') then
        return;
    end if;
    perform set_config('lock_timeout', '10s', true);   -- as oai.publish() waits
    perform from oai.horizon for update;   -- publications wait
    update oai.rule r set name = null
    from oai.wanted_requirements(wanted) n where n.name = r.name and n.condition <> r.condition;
    insert into oai.rule (name, condition, examined)
    select n.name, n.condition, case when (select o.last_seq from oai.horizon o) > 0 then 0 end
    from oai.wanted_requirements(wanted) n on conflict (name) do update set wanted_at = now();
    update oai.rule r set name = null where r.is_hidden and r.wanted_at < now() - interval '1 hour';
end $$;

-- What is wrong with a rule for a set; null: it may come into force. The condition may use nothing but
-- columns of the record and functions that need nothing else, or items would enter and leave without being
-- published.
-- PostgreSQL's own reading of it tells: the tree of a view. Runs the condition on the newest 1,000 items; the
-- caller sets a statement_timeout.
create or replace function oai.judge_rule(spec text, condition text, description text) returns text
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = error as $$
declare
    query constant text := 'select r.id from oai.record r where (' || condition || E'\n)';
    root  constant text := split_part(spec, ':', 1);
    one   refcursor;
    tree  text;
    found text;
    bad   record;
begin
    if exists (select from oai.set s where s.spec = root)
       and not exists (select from oai.rule r join oai.set s on s.id = r.set_id
                       where s.spec = root or starts_with(s.spec, root || ':')) then
        return format('the set %s is not made by a rule', root);
    end if;
    begin
        perform description::xml;
        open one for execute query || ' limit 0';   -- a cursor has one statement only
        close one;
        execute 'create temporary view judged as ' || query;
    exception when others then return 'where: ' || sqlerrm;
    end;
    select w.ev_action::text into tree from pg_rewrite w where w.ev_class = to_regclass('pg_temp.judged');
    drop view pg_temp.judged;
    select coalesce(min(x.what) filter (where x.is_bad), null) into found
    from (values
        (tree ~ ':hasSubLinks true|:setOperations [^<]|:cteList [^<]', 'a query within the condition'),
        ((select count(*) from regexp_matches(tree, 'RANGETBLREF', 'g')) <> 1, 'another table'),
        (tree ~ 'SQLVALUEFUNCTION', 'the current time, user or schema'),
        (condition ~* '''\s*(now|today|tomorrow|yesterday)\s*''', 'the current time'),
        (tree ~ '\{VAR :varno \d+ :varattno 0 ', 'the whole record; name the columns')) x(is_bad, what);
    if found is null then
        select format('the function %s, which %s', p.proname, case when p.provolatile = 'v' then 'is volatile'
                      else 'depends on more than its arguments' end) into found
        from regexp_matches(tree, ':(?:op)?funcid (\d+)', 'g') m join pg_proc p on p.oid = m[1]::oid
        where p.provolatile = 'v'
           or (p.provolatile = 's'
               and p.proname ~ ('^(now|(transaction|statement)_timestamp|current_.*|has_.*|pg_.*|inet_.*'
                                || '|txid_.*|(table|schema|database|cursor)_to_xml.*|.*visible)$'))
           or (p.proname = 'age' and p.pronargs = 1) limit 1;
    end if;
    if found is null then
        select format('the column %s, which publication changes', a.attname) into found
        from regexp_matches(tree, '\{VAR :varno \d+ :varattno (\d+)', 'g') m
        join pg_attribute a on a.attrelid = to_regclass('oai.record') and a.attnum = m[1]::smallint
        where a.attname in ('seq', 'datestamp', 'set_ids', 'collections_id') limit 1;
    end if;
    if found is not null then return 'where: uses ' || found; end if;
    select count(*) as items, min(m.problem) as problem, bool_or(m.id is null) as is_broken into bad
    from oai.rule_matches(array[oai.condition_of(condition)],
                          array(select i.id from oai.item i where i.seq is not null order by i.seq desc
                                limit 1000)) m where m.problem is not null;
    return case when bad.is_broken or bad.items > 10 then 'where: ' || bad.problem end;
end $$;
comment on function oai.judge_rule is 'What is wrong with the condition of a set; null: nothing is.';

-- Tombstones stay in the sets that they were in, so no condition is asked of them.
create or replace function oai.condition_of(condition text) returns text language sql immutable as $$
    select 'not r.deleted and (' || condition || E'\n)'
$$;

-- Which of the items meet which of the conditions. Runs with the rights of a role that may read oai.record
-- and nothing else. An item on which a condition fails does not meet it, and its row has the problem; where
-- the condition itself is wrong, as after a column has gone, there is a row without an id.
create or replace function oai.rule_matches(conditions text[], ids bigint[], first integer default 1)
returns table (n integer, id bigint, problem text) language plpgsql stable security definer
set search_path = pg_catalog set timezone = 'UTC' set datestyle = 'ISO, YMD' set jit = off
set enable_seqscan = off as $$
#variable_conflict use_column
declare
    found_n  integer[];
    found_id bigint[];
    half     constant integer := cardinality(ids) / 2;
begin
    if cardinality(conditions) = 0 then return; end if;
    begin
        execute 'select array_agg(p.n), array_agg(r.id) from oai.record r, lateral (values '
                || (select string_agg(format('(%s, (%s) is true)', first + o - 1, c), ', ')
                    from unnest(conditions) with ordinality u(c, o))
                || ') p(n, is_met) where r.id = any ($1) and p.is_met'
            into found_n, found_id using ids;
        return query select u.*, null from unnest(found_n, found_id) u(n, id);
        return;
    exception
        when lock_not_available then raise;
        when others then
            if cardinality(conditions) = 1 and cardinality(ids) <= 1 then
                return query select first, ids[1], sqlerrm;
                return;
            end if;
    end;
    if cardinality(conditions) > 1 then
        for i in 1 .. cardinality(conditions) loop
            return query select * from oai.rule_matches(conditions[i : i], ids, first + i - 1);
        end loop;
        return;
    end if;
    return query select * from oai.rule_matches(conditions, '{}', first);   -- wrong even without an item?
    if found then return; end if;
    return query select * from oai.rule_matches(conditions, ids[: half], first)
                 union all select * from oai.rule_matches(conditions, ids[half + 1 :], first);
end $$;

create or replace function oai.given_sets(wanted jsonb) returns table (name text, spec text, title text,
    description text, condition text) language sql immutable as $$
    select * from jsonb_to_recordset(wanted)
        g(name text, spec text, title text, description text, condition text)
$$;

-- Registers the rules of files: what is missing among them, and is not named in `kept`, is given up.
create or replace function oai.register_sets(wanted jsonb, kept text[]) returns void language plpgsql as $$
declare
    s     record;
    part  text;
    above integer;
begin
    if not exists (select from oai.given_sets(wanted) g left join (
                       select r.name, r.condition, t.spec, t.name as title, t.description::text as description
                       from oai.rule r join oai.set t on t.id = r.set_id) h on h.spec = g.spec
                   where (h.name, h.condition, h.title, h.description)
                         is distinct from (g.name, g.condition, g.title, g.description))
       and not exists (select from oai.rule r join oai.set t on t.id = r.set_id
                       where (r.name is null) <> (t.spec not in (select g.spec from oai.given_sets(wanted) g))
                             and r.name <> all (kept)) then
        return;
    end if;
    perform set_config('lock_timeout', '10s', true);
    perform from oai.horizon for update;
    perform set_config('oai.publisher', 'on', true);
    update oai.rule r set name = null, examined = 0, problem = null
    from oai.set t left join oai.given_sets(wanted) g on g.spec = t.spec
    where t.id = r.set_id and (r.name is null) = (g.spec is not null)
          and coalesce(r.name <> all (kept), true);
    update oai.rule r set name = null   -- names may change places
    from oai.given_sets(wanted) g where r.name = g.name and not r.is_hidden;
    for s in select * from oai.given_sets(wanted) g order by g.spec loop
        above := null;
        for part in select array_to_string(a[: n], ':')
                    from string_to_array(s.spec, ':') a, generate_series(1, cardinality(a)) n order by n loop
            insert into oai.set (parent, spec, name) values (above, part, part) on conflict (spec) do nothing;
            select t.id into above from oai.set t where t.spec = part;
        end loop;
        update oai.set t set name = s.title, description = s.description::xml
        where t.id = above and (t.name, t.description::text) is distinct from (s.title, s.description);
        insert into oai.rule as r (set_id, name, condition, is_universal, examined)
        values (above, s.name, s.condition, false,
                case when (select o.last_seq from oai.horizon o) > 0 then 0 end)
        on conflict (set_id) do update set name = excluded.name, condition = excluded.condition,
            problem = null, examined = case when r.condition = excluded.condition then r.examined else 0 end;
    end loop;
end $$;

-- Adds to the sets of the slice those whose rules its items meet, and takes from tombstones those of rules
-- that were given up. Where a rule cannot be asked, items stay where they were.
create or replace function oai.place_by_rules() returns void language plpgsql as $$
declare
    sets       integer[];
    conditions text[];
    given_up   integer[];
begin
    select array_agg(r.set_id order by r.set_id) filter (where r.name is not null),
           array_agg(oai.condition_of(r.condition) order by r.set_id) filter (where r.name is not null),
           array_agg(r.set_id) filter (where r.name is null)
    into sets, conditions, given_up from oai.rule r where not r.is_hidden;
    if given_up is not null then
        update pg_temp.slice s
        set new_sets = array(select u from unnest(s.new_sets) u where u <> all (given_up))
        where s.new_sets && given_up;
    end if;
    if sets is null then return; end if;
    delete from pg_temp.met;
    insert into pg_temp.met select * from oai.rule_matches(
        conditions, array(select s.id from pg_temp.slice s where s.new_seq is not null));
    if exists (select from pg_temp.met m where m.problem is not null) then
        perform oai.note_rule_problems(sets);
        insert into pg_temp.met
        select m.n, s.id, null from pg_temp.met m, pg_temp.slice s
        where m.id is null and s.new_seq is not null and sets[m.n] = any (s.old_sets);
    end if;
    update pg_temp.slice s set new_sets = array(select distinct u from unnest(s.new_sets || x.sets) u)
    from (select m.id, array_agg(sets[m.n] order by m.n) as sets from pg_temp.met m
          where m.problem is null group by m.id) x where x.id = s.id;
end $$;

-- Writes down what pg_temp.met says of rules that fail; sets[n] is the set of rule n.
create or replace function oai.note_rule_problems(sets integer[]) returns void language plpgsql as $$
begin
    update oai.rule r set problem = x.problem
    from (select m.n, min(concat(case when m.id is not null then format('item %s is left out: ',
                     (select i.local_id from oai.item i where i.id = m.id)) end, m.problem)) as problem
          from pg_temp.met m where m.problem is not null group by m.n) x
    where r.set_id = sets[x.n] and r.problem is distinct from x.problem;
end $$;

-- Adds the numbers of the slice to what formats require, where their items have it now.
create or replace function oai.meet_requirements() returns void language plpgsql as $$
declare
    base  constant bigint := (select oai.base_of(max(s.new_seq)) from pg_temp.slice s);
    rules integer[];
    conditions text[];
begin
    delete from pg_temp.posting;
    -- Of a universal requirement the items are collected that do not meet it.
    select array_agg(r.set_id order by r.set_id),
           array_agg(case when r.is_universal then format('(%s) is not true', r.condition)
                          else r.condition end order by r.set_id)
    into rules, conditions from oai.rule r where r.is_hidden and r.name is not null and r.examined is null;
    if rules is null then return; end if;
    delete from pg_temp.met;
    insert into pg_temp.met select * from oai.rule_matches(
        conditions, array(select s.id from pg_temp.slice s where s.new_seq is not null));
    update oai.rule r set name = null from pg_temp.met m
    where m.problem is not null and r.set_id = rules[m.n];
    insert into pg_temp.posting
    select rules[m.n], '{}', base, array_agg((s.new_seq - base)::integer order by s.new_seq)
    from pg_temp.met m join pg_temp.slice s on s.id = m.id where m.problem is null group by m.n;
    with broken as (update oai.rule r set is_universal = false, examined = 0
        from pg_temp.posting p where r.set_id = p.set_id and r.is_universal returning r.set_id)
    delete from pg_temp.posting p using broken b where p.set_id = b.set_id;
    perform oai.move_postings();
end $$;

-- Examines up to 5,000 items for a requirement that has to catch up.
create or replace function oai.examine_items(inout r oai.rule, last_seq bigint)
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
        raise warning 'what formats require % is examined anew: %', r.name, sqlerrm;
        r.name := null;
        r.examined := null;
end $$;

-- Queues those of the next 5,000 items that enter or leave the set of a rule; of one that was given up, those
-- of its members.
create or replace function oai.queue_by_rule(inout r oai.rule, last_seq bigint, out queued integer)
language plpgsql set enable_seqscan = off as $$
declare
    ids  bigint[];
    last bigint;
    seen integer;
begin
    if r.name is null then
        select array_agg(i.id), count(*), max(p.seq) into ids, seen, last
        from oai.set_page(r.set_id, r.examined, last_seq, 5000) p(seq) left join oai.item i on i.seq = p.seq;
        insert into oai.queue (id) select u.id from unnest(ids) u(id) where u.id is not null;
        get diagnostics queued = row_count;
    else
        delete from pg_temp.met;
        select array_agg(x.id), count(*), max(x.seq) into ids, seen, last
        from (select i.id, i.seq from oai.item i where i.seq > r.examined and i.seq <= last_seq
              order by i.seq limit 5000) x;
        insert into pg_temp.met
            select * from oai.rule_matches(array[oai.condition_of(r.condition)], coalesce(ids, '{}'));
        perform oai.note_rule_problems(array[r.set_id]);
        if exists (select from pg_temp.met m where m.id is null) then
            r.examined := null;   -- until its file changes
            return;
        end if;
        insert into oai.queue (id)
        select i.id from oai.item i where i.id = any (ids) and not i.deleted
          and (r.set_id = any (i.set_ids))
              <> exists (select from pg_temp.met m where m.id = i.id and m.problem is null);
        get diagnostics queued = row_count;
    end if;
    r.examined := case when seen = 5000 then last end;
end $$;

-- Removes a part of what is kept of a rule that was given up; all of it, if nothing is left. A set goes when
-- its last item has left, with those above it that nothing needs.
create or replace function oai.remove_rule(r oai.rule) returns void language plpgsql as $$
declare places constant integer[] := (select s.path from oai.set s where s.id = r.set_id);
begin
    if not r.is_hidden and (exists (select from oai.set s where s.id = r.set_id and s.item_count > 0)
                            or exists (select from oai.view_set w
                                       where w.set_id = r.set_id and w.item_count > 0))
       and not exists (select from oai.set c where c.parent = r.set_id) then
        return;
    end if;
    if r.is_hidden or not exists (select from oai.set c where c.parent = r.set_id) then
        delete from oai.set_chunk k where k.set_id = r.set_id and k.first_seq = any (array(
            select p.first_seq from oai.set_chunk p where p.set_id = r.set_id order by p.first_seq
            limit 1000));
        if found then return; end if;
    end if;
    delete from oai.rule q where q.set_id = r.set_id;
    loop
        delete from oai.set s where s.id = any (places)
              and not exists (select from oai.set c where c.parent = s.id)
              and not exists (select from oai.rule q where q.set_id = s.id);
        exit when not found;
    end loop;
    delete from oai.view_set w where w.set_id = any (places)
          and not exists (select from oai.set s where s.id = w.set_id);
end $$;

-- Examines items for rules that have to catch up, until the time `until` has come, but some in any
-- case; and removes a part of those that were given up. Returns whether there is more to do.
create or replace function oai.catch_up_rules(last_seq bigint, until timestamptz) returns boolean
language plpgsql as $$
declare
    r      oai.rule;
    part   record;
    queued integer := 0;   -- so many are published before more are queued
begin
    for r in select * from oai.rule q where q.name is null and (q.is_hidden or q.examined is null) loop
        perform oai.remove_rule(r);
    end loop;
    for r in select * from oai.rule q
        where q.examined is not null and (q.name is not null or not q.is_hidden) order by q.set_id loop
        loop
            if r.is_hidden then
                r := oai.examine_items(r, last_seq);
            elsif queued < 20000 then
                select * into part from oai.queue_by_rule(r, last_seq);
                r := part.r;
                queued := queued + coalesce(part.queued, 0);
            end if;
            exit when r.examined is null or (not r.is_hidden and queued >= 20000)
                      or clock_timestamp() > until;
        end loop;
        update oai.rule q set name = r.name, examined = r.examined,
            is_universal = r.is_universal, item_count = r.item_count where q.set_id = r.set_id;
        exit when clock_timestamp() > until;
    end loop;
    return queued > 0 or exists (select from oai.rule q where q.examined is not null
                                                          or (q.name is null and q.is_hidden));
end $$;

-- The numbers of each hidden rule; of those that catch up, as far as they have come. Reads everything.
create or replace function oai.requirement_members() returns table (set_id integer, seq bigint)
language plpgsql stable as $$
declare r oai.rule;
begin
    for r in select * from oai.rule q where q.is_hidden and q.name is not null and not q.is_universal loop
        return query execute format(
            'select $1, r.seq from oai.record r where r.seq <= coalesce($2, r.seq) and (%s)', r.condition)
            using r.set_id, r.examined;
    end loop;
end $$;

create or replace function oai.check_rules() returns table (spec text, local_id text, problem text)
language plpgsql stable as $$
declare r record;
begin
    for r in select q.*, s.spec from oai.rule q join oai.set s on s.id = q.set_id
             where q.name is not null and q.examined is null loop
        return query select r.spec, i.local_id,
                            case when r.set_id = any (i.set_ids) then 'does not meet the condition of its set'
                                 else 'meets the condition, but is not in the set' end
        from oai.item i left join oai.rule_matches(array[oai.condition_of(r.condition)],
                 array(select j.id from oai.item j where j.seq is not null)) m on m.id = i.id
        where i.seq is not null and not i.deleted
              and (r.set_id = any (i.set_ids)) <> (m.id is not null and m.problem is null)
              and not exists (select from oai.queue q where q.id = i.id);
    end loop;
end $$;
comment on function oai.check_rules is 'The published items that a set by a rule should have and has not, or '
    'the other way round. Reads everything.';

-- What a condition would do: how many items meet it, how many enter or leave the set, how long it takes with
-- 10,000 items, some of those that meet it, and what fails. Reads everything.
create or replace function oai.try_rule(spec text, condition text, out items bigint, out matching bigint,
    out enter bigint, out leave bigint, out failing bigint, out milliseconds bigint, out examples text[],
    out problem text) language plpgsql stable as $$
declare
    set_id constant integer := (select s.id from oai.set s where s.spec = try_rule.spec);
    last   bigint := 0;
    ids    bigint[];
    part   record;
    began  timestamptz := clock_timestamp();
begin
    items := 0; matching := 0; enter := 0; leave := 0; failing := 0; examples := '{}';
    loop
        select array_agg(x.id), max(x.seq) into ids, last
        from (select i.id, i.seq from oai.item i where i.seq > last order by i.seq limit 10000) x;
        exit when ids is null;
        select count(*) as n, count(*) filter (where m.met) as matching,
               count(*) filter (where m.met and not m.member) as enter,
               count(*) filter (where m.member and not m.met and not m.deleted) as leave,
               count(m.problem) as failing, min(m.local_id || ': ' || m.problem) as problem,
               (array_agg(m.local_id order by m.seq) filter (where m.met))[: 10] as examples into part
        from (select i.local_id, i.seq, i.deleted, coalesce(set_id = any (i.set_ids), false) as member,
                     x.problem, x.id is not null and x.problem is null as met
              from oai.item i
                   left join oai.rule_matches(array[oai.condition_of(condition)], ids) x on x.id = i.id
              where i.id = any (ids)) m;
        milliseconds := coalesce(milliseconds, 1000 * extract(epoch from clock_timestamp() - began));
        items := items + part.n;
        matching := matching + part.matching;
        enter := enter + part.enter;
        leave := leave + part.leave;
        failing := failing + part.failing;
        problem := coalesce(problem, part.problem);
        examples := (examples || part.examples)[: 10];
    end loop;
end $$;
