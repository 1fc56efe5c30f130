-- SPDX-License-Identifier: MIT
-- What `oai map` calls to make, change, check and drop a map (follow.sql). It may lock the tables a moment.

-- Of a query its text with all names in full, its columns, the tables behind it with the columns that are
-- read, functions ('F') that may read others, whether it depends on the time.
create or replace function oai.map_reads(query text)
    returns table (kind text, name text, type text, element text, columns text[])
language plpgsql set client_min_messages = warning as $$
#variable_conflict use_column
begin
    execute 'create view oai.map_trial as ' || query;
    perform set_config('search_path', 'pg_catalog', true);
    return query
        select 'text', rtrim(pg_get_viewdef('oai.map_trial'::regclass), ';'), '', '', '{}'::text[]
        union all
        (select 'column', a.attname::text, b.oid::regtype::text,
                case when b.typcategory = 'A' then b.typelem::regtype::text else '' end, '{}'
        from pg_attribute a join pg_type t on t.oid = a.atttypid
             join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
        where a.attrelid = 'oai.map_trial'::regclass and a.attnum > 0 order by a.attnum);
    return query
        with recursive reached as (
            select 'pg_class'::regclass::oid as class, 'oai.map_trial'::regclass::oid as id
            union select d.refclassid, d.refobjid
            from reached r left join pg_rewrite w on r.class = 'pg_class'::regclass and w.ev_class = r.id
                 join pg_depend d on case when w.oid is not null
                     then d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                     else r.class <> 'pg_class'::regclass and d.classid = r.class and d.objid = r.id end
            where d.refclassid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)),
        used as (select d.refobjid as id, d.refobjsubid as n
                 from reached r join pg_rewrite w on w.ev_class = r.id
                      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid)
        select c.relkind::text, c.oid::regclass::text, c.oid::text, '', array(
            select a.attname::text from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and (c.oid, a.attnum) in (select u.id, u.n from used u))
        from reached r join pg_class c on c.oid = r.id
        where r.class = 'pg_class'::regclass and c.oid <> 'oai.map_trial'::regclass
              and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace <> 'pg_catalog'::regnamespace
        union all
        select 'F', p.oid::regproc::text, p.oid::text, '', '{}'
        from reached r join pg_proc p on p.oid = r.id join pg_language l on l.oid = p.prolang
        where p.provolatile <> 'i' and p.prosqlbody is null and l.lanname not in ('internal', 'c')
              and r.class = 'pg_proc'::regclass and p.pronamespace <> 'oai'::regnamespace
        union all
        select distinct 'time', '', '', '', '{}'::text[] from reached r
        where r.class = 'pg_class'::regclass
              and pg_get_viewdef(r.id) ~* '\m(current_(date|time)|localtime|(now|[a-z]+_timestamp)\(\))';
    execute 'drop view oai.map_trial';
end $$;

create or replace view oai.map_trigger as
    select t.tgname, t.tgrelid, t.tgfoid, t.tgenabled, f.n::integer
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid, substring(p.proname from '^oai_map_([0-9]+)$') f(n)
    where f.n is not null and p.prosrc like '%library.map_log%';
comment on view oai.map_trigger is 'The triggers of mapped tables; n: of which.';

-- Makes those of table `n`, which append the columns that lead to items, as text. Nothing in them waits or
-- fails; where a column has another name now, or is gone, all of the table is looked at. Their function is
-- beside the table and its owner's, who may append to the log: whoever writes needs no right, and dumps are
-- restored elsewhere, too. format() asks a type's own output function, and no cast.
create or replace function oai.map_watch(n integer, leading_columns name[]) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare
    columns constant text := (select string_agg(format(
            $text$case when x.%1$I is not null then format('%%s', x.%1$I) end$text$, c), ', ' order by o)
        from unnest(leading_columns) with ordinality u(c, o));
    name    text;
    owner   regrole;
    part    regclass;
begin
    select format('%s.oai_map_%s', c.relnamespace::regnamespace, t.n), c.relowner into name, owner
    from pg_class c join library.map_table t on c.oid = to_regclass(t.relation) where t.n = map_watch.n;
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   'set search_path = pg_catalog, pg_temp set datestyle = ''ISO'' as %L', name, format($body$
begin
    if has_table_privilege(to_regclass('library.map_log'), 'insert') is not true then return null; end if;
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
    execute format('alter function %s() owner to %s', name, owner);
    execute format('grant insert on library.map_log to %s', owner);
    for part in
        with recursive part as (
            select to_regclass(t.relation)::oid as oid from library.map_table t where t.n = map_watch.n
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select p.oid from part p order by p.oid
    loop
        execute (select string_agg(format('create or replace trigger oai_%1$s_%2$s after %1$s on %3$s %4$s '
                'for each statement execute function %5$s();'
                'alter table %3$s enable always trigger oai_%1$s_%2$s', k.event, n, part, k.rows, name), ';')
            from (values ('insert', 'referencing new table as changed'),
                         ('update', 'referencing old table as was new table as changed'),
                         ('delete', 'referencing old table as was'), ('truncate', '')) k(event, rows));
    end loop;
end $$;

-- Then all of the source comes here, round by round.
create or replace procedure oai.map_look(page_rows integer, believe boolean) language plpgsql as $$
begin
    while (select p.looks from oai.map_poll(page_rows, believe) p) loop commit; end loop;
end $$;

-- Takes all triggers away, with their functions, and lets oai_source read the tables of the map no more, but
-- for those that are kept.
create or replace function oai.map_leave(kept text[]) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare watching regprocedure;
begin
    for watching in select distinct t.tgfoid from oai.map_trigger t loop
        execute format('drop function %s cascade', watching);
    end loop;
    execute (select coalesce(string_agg(format('revoke select on %1$s from oai_source; '
            'revoke usage on schema %2$s from oai_source;' || case when p.oid is not null then
            'drop policy oai_source on %1$s;' else '' end,
            c.oid::regclass, c.relnamespace::regnamespace), ''), '')
        from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = 'oai_source'
        where c.oid in (select to_regclass(t.relation) from library.map_table t
                        where t.relation <> all (kept)));
end $$;

-- No map any more. deletes: its items become deleted records; false: they are like loaded ones; null: they
-- stay for the next map. Returns how many were deleted.
create or replace function oai.map_drop(deletes boolean default null) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare deleted bigint := 0;
begin
    delete from library.mapping;
    perform oai.map_leave('{}');
    if deletes then
        update library.item i set deleted = true from library.mapped m where i.id = m.id and not i.deleted;
        get diagnostics deleted = row_count;
    end if;
    delete from library.mapped where deletes is not null;
    return deleted;
end $$;

-- A map in place of the one that was there; all is looked at then.
create or replace function oai.map_apply(definition text, polled boolean, source text, ways text, keys text[],
    key_types text[], relations text[], places text[], condition text) returns void
language plpgsql set search_path = pg_catalog as $$
declare old constant library.mapping := (select m from library.mapping m);
begin
    if old.single and exists (select from library.map_table t
               where t.n = 0 and t.relation <> all (relations) and to_regclass(t.relation) is not null) then
        raise exception 'items follow another table already' using hint = 'oai map --drop ends that';
    end if;
    perform oai.map_leave(relations);
    execute (select coalesce(string_agg(format('create policy oai_source on %s for select to oai_source '
        'using (true);', c.oid::regclass), ''), '')
        from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = 'oai_source'
        where c.relrowsecurity and p.oid is null
              and c.oid in (select to_regclass(r) from unnest(relations) r));
    perform oai.map_open(relations);
    update library.mapped d set checksum = null,   -- all are compared
        key = case when (old.keys, old.key_types) = (map_apply.keys, map_apply.key_types) then d.key end;
    delete from library.mapping;
    insert into library.mapping (definition, polled, source, ways, keys, key_types, condition, name, hold)
    values (definition, polled, source, ways, keys, key_types, condition, coalesce(old.name, 'own-tables'),
            coalesce(old.hold, '1 hour'));
    -- Whoever only reads may call nothing else that has other rights, and this only where there is a map.
    grant execute on function oai.map_problems to oai_reader, oai_publisher;
    delete from library.map_table;
    insert into library.map_table (n, relation, place, seen)
    select r.n - 1, r.relation, r.place, oai.map_seen(r.relation)
    from unnest(relations, places) with ordinality r(relation, place, n);
end $$;

-- What differs in the library from what was found in the source, of items with these keys: somebody else may
-- have written it.
create or replace function oai.map_differences(found jsonb[], keys text[])
    returns table (local_id text, relation text, problem text) language sql stable as $$
    select s.local_id, null, case when d.local_id is null then 'is in the source, but has not come here yet'
        when s.same > 1 then 'shares its key with other rows, so they are left out'
        when d.gone <> s.deleted or d.checksum is distinct from s.checksum
            then 'has changed in the source, but not here'
        else 'has been changed here by something else; run oai map' end
    from (select s.*, count(*) over (partition by s.local_id) as same from oai.map_unpacked(found) s) s
         left join library.mapped d on d.local_id = s.local_id left join library.item i on i.id = d.id
    where d.withheld is not true and d.refused is null
          and s.content is not null and not (s.deleted and d.gone and i.id is null)
          and case when d.gone <> s.deleted or s.same > 1 or d.checksum is distinct from s.checksum then true
              else i.deleted is distinct from s.deleted or not s.deleted and to_jsonb(i) <> to_jsonb(i)
                  || to_jsonb(jsonb_populate_record(null::library.item, s.content)) - array(
                      select a.attname::text from pg_attribute a where a.attrelid = 'library.item'::regclass
                      and (a.attname = 'origin' or a.attname <> all (oai.map_columns()))) end
    union all
    select d.local_id, null, 'is gone from the source, but not here'
    from (select array_agg(k order by n) as key from unnest(keys) with ordinality u(k, n)
          group by (n - 1) / array_length(keys, 2)) k
         join library.mapped d on d.key = k.key
    where not d.gone and not d.withheld and d.refused is null and d.missing_since is null
          and not exists (select from unnest(found) f where f ->> 'local_id' = d.local_id)
$$;

-- What `oai check` and `oai map --check` ask: differences between what is given out and what the tables
-- hold, of an item or of a table. `sample`: look at about so many items and rows; null: at all.
create or replace function oai.map_problems(sample integer)
    returns table (local_id text, relation text, problem text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
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
        select null, 'the source', format('has lost %s of %s rows, whose items stay for a while, or until '
            'oai map --believe', n.missing, n.rows)
        from (select count(d.missing_since) as missing, count(*) as rows from library.mapped d
              where not d.gone) n
        where n.missing > 0
        union all
        select d.local_id, null, 'is no item: ' || d.refused from library.mapped d
        where d.refused is not null;
    return query
        with recursive part as (
            select to_regclass(t.relation)::oid as oid from library.map_table t where t.used is not null
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select null::text, p.oid::regclass::text, 'lacks triggers that tell of changes; run oai map again'
        from part p
        where not m.polled and p.oid is not null and 4 > (
            select count(*) from oai.map_trigger t where t.tgrelid = p.oid and t.tgenabled = 'A')
        union all
        select null, r.srrelid::regclass::text,
            'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
        from part p join pg_subscription_rel r on r.srrelid = p.oid where not m.polled
        union all
        select null, c.relation, c.problem from oai.map_causes() c;
    begin
        loop   -- the items: a sample of them, or page by page
            if sample is null then
                select array_agg(d.key), max(d.local_id) into keys, after
                from (select d.key, d.local_id from library.mapped d
                      where d.local_id > coalesce(after, '') and d.key is not null and not d.gone
                      order by d.local_id limit page_rows) d;
            else
                execute format('select array_agg(s.key) from (select d.key from library.mapped d
                    tablesample system (%s) where not d.gone and d.key is not null limit %s) s',
                    (select least(100, 300.0 * sample / greatest(1, c.reltuples)) from pg_class c
                     where c.oid = 'library.mapped'::regclass), sample) into keys;
            end if;
            exit when keys is null;
            return query select * from oai.map_differences(oai.map_found(m, keys), keys);
            exit when sample is not null;
        end loop;
        while sample is null and (page is null or cardinality(page) >= page_rows) loop
            page := oai.map_next(m, oai.map_key(page[cardinality(page)]), page_rows);
            return query select * from oai.map_differences(page, null) x
                where not exists (select from library.mapped d where d.local_id = x.local_id and not d.gone
                                                              and d.key is not null);
        end loop;
    exception when others then
        return query select null::text, 'the source'::text,
            format('cannot be read now: %s (SQLSTATE %s)', sqlerrm, sqlstate);
    end;
end $$;
