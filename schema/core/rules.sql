-- SPDX-License-Identifier: MIT
-- Rules: a name, and a condition over the columns of oai.record. Of a rule in a file (NAME.set) the items
-- that meet the condition are a set: the publisher adds it to their leaf sets as it numbers them, and queues
-- the items that enter or leave when a rule comes, changes or goes, some in a round. What formats require is
-- a rule that nobody sees (hidden): its chunks move no datestamp, and a list in a format that one record in a
-- million has is read as that of a rare set.

-- What formats ask for, an array of arrays of names of columns of oai.record: each once, in order, with its
-- condition. It holds wherever a server finds a value, which is neither NULL nor an array without entries. It
-- must hold wherever a tombstone is, too: harvesters learn of deletions in every format.
create or replace function oai.wanted_requirements(wanted jsonb) returns table (name text, condition text)
language sql stable as $$
    select x.columns::text,
           'r.deleted or ' || string_agg(coalesce(a.condition, 'false'), ' and ' order by c.name)
    from (select distinct array(select distinct c collate "C" from jsonb_array_elements_text(w) c
                       order by 1) as columns
          from jsonb_array_elements(wanted) w) x
    cross join unnest(x.columns) c(name)
    cross join lateral (select '(' || string_agg(format(
                   case when a.atttypid = any ('{text[],varchar[],integer[],xml[]}'::regtype[])
                        then 'cardinality(r.%I) > 0' else 'r.%I is not null' end, a.attname),
                   ' or ' order by a.attnum) || ')' as condition
        from pg_attribute a
        where a.attrelid = to_regclass('oai.record') and a.attnum > 6 and not a.attisdropped
          and a.attname in (c.name, c.name || '_id')) a group by x.columns
$$;

-- What means something else since oai.record has changed is given up, and so is what nobody has asked for in
-- an hour: publishers whose formats differ for a while must not undo each other's work.
create or replace function oai.register_requirements(wanted jsonb) returns void language plpgsql as $$
begin
    perform set_config('lock_timeout', '10s', true);   -- as oai.publish() waits
    perform from oai.horizon for update;   -- publications wait
    update oai.rule r set name = null
    from oai.wanted_requirements(wanted) n where n.name = r.name and n.condition <> r.condition;
    insert into oai.rule as r (name, condition, examined)
    select n.name, n.condition, case when (select o.last_seq from oai.horizon o) > 0 then 0 end
    from oai.wanted_requirements(wanted) n
    on conflict (name) do update set wanted_at = now() where r.wanted_at < now() - interval '1 minute';
    update oai.rule r set name = null
    where r.is_hidden and r.name is not null and r.wanted_at < now() - interval '1 hour';
end $$;

--- What is wrong with the condition of a set; null: nothing is.
-- The condition may use nothing but columns of the record and functions that need nothing else, or items
-- would enter and leave without being published: the tree of a view tells what it uses. Runs it on the newest
-- 1,000 items; the caller sets a statement_timeout.
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
    if description ~ '^\s*<' and not xml_is_well_formed_content(description) then
        return 'description: is not well-formed XML';
    end if;
    begin
        open one for execute query || ' limit 0';   -- a cursor has one statement only
        close one;
        execute 'create temporary view judged as ' || query;
    exception when others then return 'where: ' || sqlerrm;
    end;
    select w.ev_action::text into tree from pg_rewrite w where w.ev_class = to_regclass('pg_temp.judged');
    drop view pg_temp.judged;
    select x.what into found
    from (select v.what from (values
              (tree ~ ':hasSubLinks true|:setOperations [^<]|:cteList [^<]', 'a query within the condition'),
              ((select count(*) from regexp_matches(tree, 'RANGETBLREF', 'g')) <> 1, 'another table'),
              (tree ~ 'SQLVALUEFUNCTION', 'the current time, user or schema'),
              (condition ~* '''\s*(now|today|tomorrow|yesterday)\s*''', 'the current time'),
              (tree ~ '\{VAR :varno \d+ :varattno 0 ', 'the whole record; name the columns')) v(is_bad, what)
          where v.is_bad
          union all
          select format('the function %s, which %s', p.proname,
                        case when p.provolatile = 'v' then 'is volatile'
                             else 'depends on more than its arguments' end)
          from regexp_matches(tree, ':(?:op)?funcid (\d+)', 'g') m join pg_proc p on p.oid = m[1]::oid
          where p.provolatile = 'v' or (p.provolatile = 's'
                 and p.proname ~ ('^(now|(transaction|statement)_timestamp|current_.*|has_.*|pg_.*|inet_.*'
                     || '|txid_.*|.*_in|jsonb?_(populate|to)_record.*|(table|schema|database|cursor)_to_xml.*'
                     || '|.*visible)$')) or (p.proname = 'age' and p.pronargs = 1)
          union all   -- of text: it may be 'today'
          select format('a conversion to %s, which depends on more than its value', t.oid::regtype)
          from regexp_matches(tree, ':resulttype (\d+) :resultcollid', 'g') m
          join pg_type t on t.oid = m[1]::oid join pg_proc p on p.oid = t.typinput where p.provolatile <> 'i'
          union all
          select format('the column %s, which publication changes', a.attname)
          from regexp_matches(tree, '\{VAR :varno \d+ :varattno (\d+)', 'g') m
          join pg_attribute a on a.attrelid = to_regclass('oai.record') and a.attnum = m[1]::smallint
          where a.attname in ('seq', 'datestamp', 'set_ids', 'collections_id')) x limit 1;
    if found is not null then return 'where: uses ' || found; end if;
    select count(*) as items, min(m.problem) as problem, bool_or(m.id is null) as is_broken into bad
    from oai.rule_matches(array[oai.condition_of(condition)],
                          array(select i.id from oai.item i where i.seq is not null order by i.seq desc
                                limit 1000)) m where m.problem is not null;
    return case when bad.is_broken or bad.items > 10 then 'where: ' || bad.problem end;
end $$;

-- Tombstones stay in the sets that they were in, so no condition is asked of them.
create or replace function oai.condition_of(condition text) returns text language sql immutable as $$
    select 'not r.deleted and (' || condition || E'\n)'
$$;

-- With the rights of a role that may read oai.record and nothing else. An item on which a condition fails
-- does not meet it, and its row has the problem; where the condition itself is wrong, a row has no id.
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
    select name, nullif(spec, ''), title, case when description ~ '^\s*<' then description
               else nullif(replace(replace(description, '&', '&amp;'), '<', '&lt;'), '') end, condition
    from jsonb_to_recordset(wanted) g(name text, spec text, title text, description text, condition text)
$$;

-- What is missing among the files, and is not named in `kept`, is given up.
create or replace function oai.register_sets(wanted jsonb, kept text[]) returns void language plpgsql as $$
declare
    specs constant text[] := array(select w ->> 'spec' from jsonb_array_elements(wanted) w);
    s     record;
    above integer;
begin
    perform set_config('lock_timeout', '10s', true);
    perform from oai.horizon for update;
    perform set_config('oai.publisher', 'on', true);
    update oai.rule r set name = null, examined = 0, problem = null from oai.set t
    where t.id = r.set_id and (r.name is null) = (t.spec = any (specs))
          and coalesce(r.name <> all (kept), true);
    update oai.rule r set name = null   -- names may change places
    from oai.given_sets(wanted) g, oai.set t
    where r.name = g.name and t.id = r.set_id and t.spec <> g.spec;
    for s in select * from oai.given_sets(wanted) g order by g.spec loop
        above := oai.make_set(s.spec);
        update oai.set t set name = s.title, description = s.description::xml
        where t.id = above and (t.name, t.description::text) is distinct from (s.title, s.description);
        insert into oai.rule as r (set_id, name, condition, is_universal, examined)
        values (above, s.name, s.condition, false,
                case when (select o.last_seq from oai.horizon o) > 0 then 0 end)
        on conflict (set_id) do update set name = excluded.name, condition = excluded.condition,
            problem = null, examined = case when r.condition = excluded.condition then r.examined else 0 end
        where (r.name, r.condition) is distinct from (excluded.name, excluded.condition);
    end loop;
end $$;

-- Where a rule cannot be asked, items stay where they were. Tombstones leave the sets of rules given up.
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

-- sets[n] is the set of the rule that pg_temp.met calls n.
create or replace function oai.note_rule_problems(sets integer[]) returns void language plpgsql as $$
begin
    update oai.rule r set problem = x.problem
    from (select m.n, min(concat(case when m.id is not null then format('item %s is left out: ',
                     (select i.local_id from oai.item i where i.id = m.id)) end, m.problem)) as problem
          from pg_temp.met m where m.problem is not null group by m.n) x
    where r.set_id = sets[x.n] and r.problem is distinct from x.problem;
end $$;

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

-- The next n items for a rule that has to catch up: those that a format requires go to its chunks, those that
-- enter or leave a set are queued, and so are the members of one that was given up. Returns how many were.
create or replace function oai.examine_items(r oai.rule, last_seq bigint, n integer) returns integer
language plpgsql set enable_seqscan = off as $$
declare
    ids    bigint[];
    last   bigint;
    looked integer;
    queued integer := 0;
begin
    select coalesce(array_agg(x.id), '{}'), count(*), case when count(*) = n then max(x.seq) end
    into ids, looked, last
    from (select i.id, p.seq
          from oai.set_page(r.set_id, r.examined, last_seq, n) p(seq) left join oai.item i on i.seq = p.seq
          where r.name is null
          union all
          (select i.id, i.seq from oai.item i
           where r.name is not null and i.seq > r.examined and i.seq <= last_seq
           order by i.seq limit n)) x;
    delete from pg_temp.met;
    if r.name is not null then
        insert into pg_temp.met select * from oai.rule_matches(
            array[case when r.is_hidden then r.condition else oai.condition_of(r.condition) end], ids);
        perform oai.note_rule_problems(array[r.set_id]);
    end if;
    if exists (select from pg_temp.met m where m.id is null or (r.is_hidden and m.problem is not null)) then
        last := null;   -- of a set, until its file changes; of a format it is registered anew
        if r.is_hidden then r.name := null; end if;
    elsif not r.is_hidden then
        insert into oai.queue (id)
        select i.id from oai.item i where i.id = any (ids) and (r.name is null or not i.deleted)
          and (r.set_id = any (i.set_ids))   -- what a set below has would come back for ever
              <> exists (select from pg_temp.met m where m.id = i.id and m.problem is null);
        get diagnostics queued = row_count;
    elsif r.is_universal and looked > (select count(*) from pg_temp.met) then
        r.is_universal := false;
        last := 0;   -- from the beginning, now with chunks
    elsif not r.is_universal then
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select r.set_id, b.base + b.met[o], b.met[o : o + 127]
        from (select s.base, array_agg((i.seq - s.base)::integer order by i.seq) as met
              from pg_temp.met m join oai.item i on i.id = m.id, oai.base_of(i.seq) s(base) group by 1) b,
             generate_series(1, cardinality(b.met), 128) o;
        r.item_count := r.item_count + (select count(*) from pg_temp.met);
    end if;
    update oai.rule q set name = r.name, examined = last, is_universal = r.is_universal,
        item_count = r.item_count where q.set_id = r.set_id;
    return queued;
end $$;

-- Removes a part of what is kept of a rule. A set goes when its last item has left, with those above it that
-- nothing needs.
create or replace function oai.remove_rule(r oai.rule) returns void language plpgsql as $$
declare places constant integer[] := (select s.path from oai.set s where s.id = r.set_id);
begin
    if not exists (select from oai.set c where c.parent = r.set_id) then
        if exists (select from oai.set s where s.id = r.set_id and s.item_count > 0)
           or exists (select from oai.view_set w where w.set_id = r.set_id and w.item_count > 0) then
            return;
        end if;
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

-- In a transaction of its own, which ends with its second, so that the horizon moves on meanwhile, however
-- many items there are. Returns whether there is more to do.
create or replace function oai.catch_up_rules(n integer default 1000) returns boolean language plpgsql as $$
declare
    until    constant timestamptz := greatest(date_trunc('second', clock_timestamp()) + interval '0.9 s',
                                              clock_timestamp() + interval '0.1 s');
    last_seq bigint;
    r        oai.rule;
    queued   integer := 0;   -- so many are published before more are queued
begin
    if not exists (select from oai.rule q where q.examined is not null or q.name is null) then
        return false;
    end if;
    perform oai.make_slice(), set_config('oai.publisher', 'on', true),
        set_config('lock_timeout', '10s', true);
    select o.last_seq into last_seq from oai.horizon o where o.h is not null for update;
    if not found then return false; end if;
    perform set_config('lock_timeout', '100ms', true);
    begin
        for r in select * from oai.rule q where q.name is null and (q.is_hidden or q.examined is null) loop
            perform oai.remove_rule(r);
        end loop;
        loop
            select * into r from oai.rule q
            where q.examined is not null and (q.name is not null or not q.is_hidden)
                  and (q.is_hidden or queued < 20000) order by q.set_id limit 1;
            exit when not found;
            queued := queued + oai.examine_items(r, last_seq, n);
            exit when clock_timestamp() > until;
        end loop;
    exception when lock_not_available then return true;   -- the next call tries again
    end;
    return queued > 0 or exists (select from oai.rule q where q.examined is not null
                                                          or (q.name is null and q.is_hidden));
end $$;
