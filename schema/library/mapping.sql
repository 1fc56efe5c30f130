-- SPDX-License-Identifier: MIT
-- What `oai map` calls to make, change, check and drop a map (follow.sql). It may lock the tables a moment.

-- The triggers of the table number `n`, which append the columns that lead to items, as text. Nothing in them
-- waits or fails. Where a column has another name now, or is gone, all of the table is looked at. They run
-- with the rights of oai_log, which can append to the log and owns these functions, so that programs which
-- write the table need no right here. Values become text by format(), which asks the type's own output
-- function: a cast could be one that the table's owner has made, and would run with these rights.
create or replace function oai.map_watch(n integer, leading_columns name[], used_columns name[]) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare
    name    constant text := format('oai.map_%s_changed', n);
    columns constant text := (select string_agg(format(
            $text$case when x.%1$I is not null then format('%%s', x.%1$I) end$text$, c), ', ' order by o)
        from unnest(leading_columns) with ordinality u(c, o));
    part    regclass;
    parts   oid[] := '{}';
    old     record;
begin
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   'set search_path = pg_catalog, pg_temp as %L', name, format($body$
begin
    if tg_op = 'TRUNCATE' or %1$s <> (select count(*) from pg_attribute a where a.attrelid = tg_relid
            and a.attname = any (%2$L::name[]) and not a.attisdropped) then
        insert into library.map_log (source) values (%3$s);
    elsif tg_op = 'INSERT' then
        insert into library.map_log select %3$s, array[%4$s] from changed x;
    elsif tg_op = 'DELETE' then
        insert into library.map_log select %3$s, array[%4$s] from was x;
    else
        insert into library.map_log select %3$s, array[%4$s] from was x
        union all select %3$s, array[%4$s] from changed x;
    end if;
    return null;
end $body$, (select count(distinct c) from unnest(leading_columns) c), leading_columns, n, columns));
    execute format('revoke execute on function %s() from public', name);
    grant create on schema oai to oai_log;
    execute format('alter function %s() owner to oai_log', name);
    revoke create on schema oai from oai_log;
    update library.map_table t set used = used_columns where t.n = map_watch.n;
    for part in
        with recursive part as (
            select t.seen as oid from library.map_table t where t.n = map_watch.n
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select p.oid from part p order by p.oid
    loop
        parts := parts || part::oid;
        execute format($triggers$
            create or replace trigger oai_insert_%1$s after insert on %2$s referencing new table as changed
                for each statement execute function %3$s();
            create or replace trigger oai_update_%1$s after update on %2$s
                referencing old table as was new table as changed for each statement execute function %3$s();
            create or replace trigger oai_delete_%1$s after delete on %2$s referencing old table as was
                for each statement execute function %3$s();
            create or replace trigger oai_truncate_%1$s after truncate on %2$s
                for each statement execute function %3$s();
            alter table %2$s enable always trigger oai_insert_%1$s, enable always trigger oai_update_%1$s,
                enable always trigger oai_delete_%1$s, enable always trigger oai_truncate_%1$s
            $triggers$, n, part, name);
    end loop;
    for old in select t.tgname, t.tgrelid::regclass as relation from pg_trigger t
               where t.tgfoid = (name || '()')::regprocedure and t.tgrelid <> all (parts)
    loop
        execute format('drop trigger %I on %s', old.tgname, old.relation);
    end loop;
end $$;

-- Takes the triggers of the tables from number `first` on away, with their functions.
create or replace function oai.map_unwatch(first integer) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare old regprocedure;
begin
    for old in select p.oid from pg_proc p where p.pronamespace = 'oai'::regnamespace
                   and substring(p.proname from '^map_([0-9]+)_changed$')::integer >= first
    loop
        execute format('drop function %s cascade', old);
    end loop;
end $$;

-- Then all of the source comes here, round by round.
create or replace procedure oai.map_look(page_rows integer, believe boolean) language plpgsql as $$
begin
    while (select p.looks from oai.map_poll(page_rows, believe) p) loop commit; end loop;
end $$;

create or replace function oai.map_drop() returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
begin
    delete from library.mapping;
    perform oai.map_unwatch(0), oai.map_leave();
end $$;

-- A map in place of the one that was there; all is looked at then.
create or replace function oai.map_apply(definition text, polled boolean, source text, ways text, keys name[],
    key_types text[], relations text[], believe boolean) returns void
language plpgsql set search_path = pg_catalog set datestyle = 'ISO' set intervalstyle = 'iso_8601'
set timezone = 'UTC' set extra_float_digits = 1 as $$
declare
    page_rows constant integer := 10000;
    m    library.mapping;
    page jsonb[];
    live bigint := (select count(*) from library.mapped d
                    where not d.gone and not d.withheld and d.id is not null);
    lost bigint := live;
begin
    perform oai.map_leave();
    execute (select coalesce(string_agg(format('create policy oai_source on %s for select to oai_source '
        'using (true);', c.oid::regclass), ''), '')
        from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = 'oai_source'
        where c.relrowsecurity and p.oid is null
              and c.oid in (select to_regclass(r) from unnest(relations) r));
    perform oai.map_open(relations);
    m.source := source;
    m.key_types := key_types;
    while live > 0 and (page is null or cardinality(page) >= page_rows) loop
        page := oai.map_next(m, oai.map_key(page[cardinality(page)]), page_rows, true);
        lost := lost - (select count(*) from library.mapped d
                        where d.local_id in (select p ->> 'local_id' from unnest(page) p)
                              and not d.gone and not d.withheld and d.id is not null);
    end loop;
    if lost > 10 and lost * 2 > live and not believe then
        raise exception '% of % items would become deleted records; nothing is changed', lost, live
            using hint = 'If that is right: oai map --believe';
    end if;
    if not exists (select from library.mapping o where (o.keys, o.key_types) = (map_apply.keys,
            map_apply.key_types)) then
        update library.mapped d set key = null where d.key is not null;
    end if;
    update library.mapped d set checksum = null;   -- all are compared
    delete from library.mapping;
    insert into library.mapping (definition, polled, source, ways, keys, key_types)
    values (definition, polled, source, ways, keys, key_types);
    -- Whoever only reads may call nothing else that has other rights, and this only where there is a map.
    grant execute on function oai.map_problems to oai_reader, oai_publisher;
    delete from library.map_table;
    insert into library.map_table (n, relation, seen)
    select r.n - 1, r.relation, to_regclass(r.relation) from unnest(relations) with ordinality r(relation, n);
end $$;

-- What differs in the library from what was found in the source; somebody else may have written it.
create or replace function oai.map_differences(found jsonb[])
    returns table (local_id text, relation text, problem text) language sql stable as $$
    select s.local_id, null, case when d.local_id is null then 'is in the source, but has not come here yet'
        when s.same > 1 then 'shares its key with other rows, so they are left out'
        when d.gone or d.checksum is distinct from s.checksum then 'has changed in the source, but not here'
        else 'has been changed here by something else; run oai map' end
    from (select s.*, count(*) over (partition by s.local_id) as same from oai.map_unpacked(found) s) s
         left join library.mapped d on d.local_id = s.local_id left join library.item i on i.id = d.id
    where d.withheld is not true and d.refused is null
          and case when d.gone or s.same > 1 or d.checksum is distinct from s.checksum then true
              else i.deleted is not false or to_jsonb(i) <> to_jsonb(i)
                  || to_jsonb(jsonb_populate_record(null::library.item, s.content)) - array(
                      select a.attname::text from pg_attribute a where a.attrelid = 'library.item'::regclass
                      and (a.attname = 'origin' or a.attname <> all (oai.map_columns()))) end
$$;

-- Items with these keys that were not found there.
create or replace function oai.map_lost(found jsonb[], keys text[])
    returns table (local_id text, relation text, problem text) language sql stable as $$
    select d.local_id, null, 'is gone from the source, but not here'
    from (select array_agg(k order by n) as key from unnest(keys) with ordinality u(k, n)
          group by (n - 1) / array_length(keys, 2)) k
         join library.mapped d on d.key = k.key
    where not d.gone and not d.withheld and d.refused is null
          and not exists (select from unnest(found) f where f ->> 'local_id' = d.local_id)
$$;

-- What `oai check` and `oai map --check` ask: differences between what is given out and what the tables
-- hold, of an item or of a table. `sample`: look at about so many items and rows; null: at all.
create or replace function oai.map_problems(sample integer)
    returns table (local_id text, relation text, problem text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off
set datestyle = 'ISO' set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 as $$
#variable_conflict use_column
declare
    page_rows constant integer := 10000;
    m     library.mapping;
    page  jsonb[];
    keys  text[];
    after text;
begin
    select * into m from library.mapping;
    if not found then return; end if;
    return query
        select null::text, 'the source'::text, 'cannot be read: ' || m.problem where m.problem is not null
        union all
        select null, 'the source', format('has lost %s of %s rows, whose items stay for an hour, or until '
            'oai map --believe', n.missing, n.rows)
        from (select count(d.missing_since) as missing, count(*) as rows from library.mapped d
              where not d.gone) n
        where n.missing > 0
        union all
        select d.local_id, null, 'is no item: ' || d.refused from library.mapped d
        where d.refused is not null;
    return query
        with recursive part as (
            select to_regclass(t.relation)::oid as oid from library.map_table t
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select null::text, p.oid::regclass::text, 'lacks triggers that tell of changes; run oai map again'
        from part p
        where not m.polled and p.oid is not null and 4 > (
            select count(*) from pg_trigger t join pg_proc f on f.oid = t.tgfoid
            where t.tgrelid = p.oid and t.tgenabled = 'A' and f.pronamespace = 'oai'::regnamespace
                  and f.proname ~ '^map_[0-9]+_changed$')
        union all
        select null, r.srrelid::regclass::text,
            'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
        from part p join pg_subscription_rel r on r.srrelid = p.oid where not m.polled
        union all
        select null, t.relation, format('has no column %s any more; mend map.ini, and run oai map', u.name)
        from library.map_table t, unnest(t.used) u(name)
        where not exists (select from pg_attribute a where a.attrelid = to_regclass(t.relation)
            and a.attname = u.name and not a.attisdropped)
        union all
        select null, t.relation, 'has no unique index on the key any more, and rows with the same key are '
            'left out; make one again, and run oai map'
        from library.map_table t
        where t.n = 0 and not m.polled and not exists (
            select from pg_index x where x.indrelid = to_regclass(t.relation) and x.indisunique
                and x.indisvalid and x.indpred is null
                and not exists (
                    select from generate_series(0, x.indnkeyatts - 1) n(n)
                    where not exists (select from pg_attribute a where a.attrelid = x.indrelid
                        and a.attnum = x.indkey[n.n] and a.attname = any (m.keys))));
    begin
        if sample is not null then
            execute format('select array_agg(s.key) from (select d.key from library.mapped d
                tablesample system (%s) where not d.gone and d.key is not null limit %s) s',
                (select least(100, 300.0 * sample / greatest(1, c.reltuples)) from pg_class c
                 where c.oid = 'library.mapped'::regclass), sample) into keys;
            page := oai.map_found(m, keys);
            return query select * from oai.map_differences(page)
                union all select * from oai.map_lost(page, keys);
            return;
        end if;
        while page is null or cardinality(page) >= page_rows loop
            page := oai.map_next(m, oai.map_key(page[cardinality(page)]), page_rows);
            return query select * from oai.map_differences(page);
        end loop;
        loop
            select array_agg(d.key), max(d.local_id) into keys, after
            from (select d.key, d.local_id from library.mapped d
                  where d.local_id > coalesce(after, '') and d.key is not null and not d.gone
                  order by d.local_id limit page_rows) d;
            exit when keys is null;
            return query select * from oai.map_lost(oai.map_found(m, keys, true), keys);
        end loop;
    exception when others then
        return query select null::text, 'the source'::text,
            format('cannot be read now: %s (SQLSTATE %s)', sqlerrm, sqlstate);
    end;
end $$;

-- A mapping as a source, for people and for `oai map`.
create or replace view oai.mapping as
    select m.definition, m.applied_at, m.polled, m.looks, m.problem, d.items, d.missing, d.refused
    from library.mapping m, (select count(*) filter (where not d.gone and not d.withheld and d.id is not null)
        as items, count(d.missing_since) as missing, count(d.refused) as refused from library.mapped d) d;

