-- SPDX-License-Identifier: MIT
-- What `oai map` calls to make, change, check and drop a map (follow.sql). It may lock the tables a moment.

create or replace view oai.map_trigger as
    select t.tgname, t.tgrelid, p.oid as tgfoid, t.tgenabled, f.n::integer
    from pg_proc p left join pg_trigger t on p.oid = t.tgfoid,
         substring(p.proname from '^oai_map_([0-9]+)$') f(n)
    where f.n is not null and p.prosrc like '%library.map_log%';
comment on view oai.map_trigger is 'The triggers of mapped tables, and functions without them; n: of which.';

-- Makes those of table `n`, which append the columns that lead to items, as text. Nothing in them waits or
-- fails; where a column has another name now, or is gone, all of the table is looked at. Their function is
-- beside the table and its owner's, who may append to the log: whoever writes needs no right, and dumps are
-- restored elsewhere, too. concat() asks a type's own output function, and no cast. Names are in full, since
-- to set search_path would cost as much as to append.
create or replace function oai.map_watch(n integer, root regclass, leads name[]) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare
    columns constant text := (select string_agg(format(
            $text$case when x.%1$I is not null then pg_catalog.concat(x.%1$I) end$text$, c), ', ' order by o)
        from unnest(leads) with ordinality u(c, o));
    settled constant text := case when exists (
            select from pg_attribute a where a.attrelid = root and a.attname = any (leads)
            and a.atttypid <> all ('{int2,int4,int8,text,varchar,uuid}'::regtype[]))
        then 'set datestyle = ''ISO''' else '' end;
    name    text;
    owner   regrole;
    piece   regclass;
begin
    select format('%s.oai_map_%s', c.relnamespace::regnamespace, n), c.relowner into name, owner
    from pg_class c where c.oid = root;
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   '%s as %L', name, settled, format($body$
begin
    if pg_catalog.has_table_privilege(pg_catalog.to_regclass('library.map_log'), 'insert') is not true then
        return null;
    end if;
    if tg_op operator(pg_catalog.=) 'TRUNCATE' or %1$s operator(pg_catalog.<>) (
            select pg_catalog.count(*) from pg_catalog.pg_attribute a
            where a.attrelid operator(pg_catalog.=) tg_relid
                  and a.attname operator(pg_catalog.=) any (%2$L::pg_catalog.name[])) then
        insert into library.map_log (source) values (%3$s);
    elsif tg_op operator(pg_catalog.=) 'INSERT' then
        insert into library.map_log select %3$s, array[%4$s] from changed x;
    elsif tg_op operator(pg_catalog.=) 'DELETE' then
        insert into library.map_log select %3$s, array[%4$s] from was x;
    else
        insert into library.map_log select %3$s, array[%4$s] from was x
        union all select %3$s, array[%4$s] from changed x;
    end if;
    return null;
end $body$, (select count(distinct c) from unnest(leads) c), leads, n, columns));
    execute format('alter function %s() owner to %s', name, owner);
    for piece in select p.relation from library.map_piece p where p.n = map_watch.n order by p.relation::oid
    loop
        execute (select string_agg(format('create or replace trigger oai_%1$s_%2$s after %1$s on %3$s %4$s '
                'for each statement execute function %5$s();'
                'alter table %3$s enable always trigger oai_%1$s_%2$s', k.event, n, piece, k.rows, name), ';')
            from (values ('insert', 'referencing new table as changed'),
                         ('update', 'referencing old table as was new table as changed'),
                         ('delete', 'referencing old table as was'), ('truncate', '')) k(event, rows));
    end loop;
end $$;

create or replace function oai.map_leave(map integer) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare watching regprocedure;
begin
    for watching in select distinct t.tgfoid from oai.map_trigger t where t.n / 1000 + 1 = map loop
        execute format('drop function %s cascade', watching);
    end loop;
    execute (select coalesce(string_agg(format('revoke select on %s from oai_source', r.seen), ';'), '')
        from (select to_regclass(t.relation) as seen from library.map_table t where t.mapping = map
              except select to_regclass(t.relation) from library.map_table t where t.mapping <> map) r
        where r.seen is not null);
end $$;

-- A mapping no more. deletes: its items become deleted records; false: they are like loaded ones; null: they
-- stay for the next map. Returns how many were deleted.
create or replace function oai.map_drop(map integer, deletes boolean default null) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare deleted bigint := 0;
begin
    perform oai.map_leave(map);
    update library.mapping m set source = null, problem = null where m.id = map;
    if deletes then
        update library.item i set deleted = true from library.mapped m
        where i.id = m.id and m.mapping = map and not i.deleted;
        get diagnostics deleted = row_count;
    end if;
    delete from library.mapped m where m.mapping = map and deletes is not null;
    delete from library.mapping m where m.id = map and deletes is not null;
    return deleted;
end $$;

-- Writes a map down, in place of the one that its file made before; all is looked at then.
create or replace function oai.map_apply(map jsonb) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
    old library.mapping;
    new library.mapping;
begin
    select * into old from library.mapping m where m.part = map ->> 'part' for update;
    if to_regclass(old.tables #>> '{0,relation}') is not null and old.source is not null
            and not map -> 'tables' @> jsonb_build_array(jsonb_build_object(
                'relation', old.tables -> 0 -> 'relation')) then
        raise exception 'items follow another table already' using hint =
            'oai map --drop ends that; or write this map to a file in map.d, with [items] prefix =';
    end if;
    new := jsonb_populate_record(null::library.mapping, map || jsonb_build_object(
        'id', coalesce(old.id, (select min(n) from generate_series(1, 1000) n
                                where not exists (select from library.mapping m where m.id = n))),
        'name', coalesce(old.name, nullif(map ->> 'part', ''), 'own-tables'),
        'hold', coalesce(old.hold, '1 hour'), 'looks', true,
        'seen', oai.map_seen(map -> 'tables')));
    update library.mapped d set checksum = null,   -- all are compared
        key = case when (old.keys, old.key_types) = (new.keys, new.key_types) then d.key end
    where d.mapping = old.id;
    delete from library.mapping m where m.id = old.id;
    insert into library.mapping values (new.*);
    insert into oai.set (spec, name)
    select oai.set_label(l.key), l.value from jsonb_each_text(map -> 'labels') l
    on conflict (spec) do nothing;
    -- Whoever only reads may call nothing else that has other rights, and this only where there is a map.
    grant execute on function oai.map_problems to oai_reader, oai_publisher;
    execute (select string_agg(distinct format('grant insert on library.map_log to %s', c.relowner::regrole),
                               ';')
             from library.map_table t join pg_class c on c.oid = to_regclass(t.relation)
             where t.mapping = new.id);
end $$;

-- The same, and makes what belongs to it beside the tables, with the rights of whoever calls it.
create or replace function oai.map_change(map jsonb) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.map_leave(m.id) from library.mapping m where m.part = map ->> 'part';
    perform oai.map_apply(map);
    perform oai.map_open(m.id) from library.mapping m where m.part = map ->> 'part';
    perform oai.map_watch(t.n, t.relation::regclass, t.leads)
    from library.mapping m join library.map_table t on t.mapping = m.id
    where m.part = map ->> 'part' and t.leads is not null;
end $$;

-- Of items with these keys; what differs may have been written by somebody else.
create or replace function oai.map_differences(map integer, found jsonb[], ids text[])
    returns table (local_id text, relation text, problem text) language sql stable as $$
    select s.local_id, null, case when d.local_id is null then 'is in the source, but has not come here yet'
        when s.same > 1 then 'shares its key with other rows, so they are left out'
        when d.gone <> s.deleted or d.checksum is distinct from s.checksum
            then 'has changed in the source, but not here'
        else 'has been changed here by something else; run oai map' end
    from (select s.*, count(*) over (partition by s.local_id) as same from oai.map_unpacked(found) s) s
         left join library.mapped d on d.mapping = map and d.local_id = s.local_id
         left join library.item i on i.id = d.id
    where d.withheld is not true and d.refused is null
          and s.content is not null and not (s.deleted and d.gone and i.id is null)
          and case when d.gone <> s.deleted or s.same > 1 or d.checksum is distinct from s.checksum then true
              else i.deleted is distinct from s.deleted or not s.deleted and to_jsonb(i) <> to_jsonb(i)
                  || to_jsonb(jsonb_populate_record(null::library.item, oai.map_timed(s.content, i))) - array(
                      select a.attname::text from pg_attribute a where a.attrelid = 'library.item'::regclass
                      and (a.attname = 'origin' or a.attname <> all (oai.map_columns()))) end
    union all
    select d.local_id, null, 'is gone from the source, but not here'
    from library.mapped d
    where d.mapping = map and d.local_id = any (ids) and not d.gone and not d.withheld and d.refused is null
          and d.missing_since is null
          and not exists (select from unnest(found) f where f ->> 'local_id' = d.local_id)
$$;

-- What `oai check` and `oai map --check` ask: differences between what is given out and what the tables
-- hold, of an item or of a table. `sample`: look at about so many items and rows; null: at all.
create or replace function oai.map_problems(sample integer)
    returns table (local_id text, relation text, problem text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off
set timezone = 'UTC' as $$
#variable_conflict use_column
declare
    page_rows constant integer := 10000;
    m     library.mapping;
    page  jsonb[];
    keys  text[];
    ids   text[];
    after text;
begin
    return query
        select null::text, rtrim('the source ' || m.part), p.problem
        from library.mapping m, lateral (
            select count(d.missing_since) as missing, count(*) as rows from library.mapped d
            where d.mapping = m.id and not d.gone) n, lateral (
            values ('cannot be read: ' || m.problem), (case when n.missing > 0 then format('has lost %s of '
                '%s rows, whose items stay for a while, or until oai map --believe', n.missing, n.rows) end)
            ) p(problem)
        where p.problem is not null
        union all
        select d.local_id, null, 'is no item: ' || d.refused
        from library.mapped d join library.mapping m on m.id = d.mapping
        where d.refused is not null and m.source is not null
        union all
        select null, p.relation::text, 'lacks triggers that tell of changes; run oai map again'
        from library.map_piece p where 4 > (select count(*) from oai.map_trigger t
            where t.tgrelid = p.relation and t.n = p.n and t.tgenabled = 'A')
        union all
        select null, p.relation::text,
            'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
        from library.map_piece p join pg_subscription_rel r on r.srrelid = p.relation
        union all
        select null, c.relation, c.problem from library.mapping m, oai.map_causes(m.id) c;
    for m in select * from library.mapping n where n.source is not null order by n.id loop
        after := null;
        page := null;
        begin
            loop   -- the items, page by page; for a sample a page anywhere
                select array_agg(d.key), array_agg(d.local_id), max(d.local_id) into keys, ids, after
                from (select d.key, d.local_id from library.mapped d where d.mapping = m.id
                      and d.local_id > coalesce(after, '') and d.key is not null and not d.gone
                      order by d.local_id limit coalesce(sample, page_rows) offset coalesce(
                          (select random() * greatest(0, c.reltuples - sample) from pg_class c
                           where c.oid = 'library.mapped'::regclass), 0)) d;
                exit when keys is null;
                return query select * from oai.map_differences(m.id, oai.map_found(m, keys), ids);
                exit when sample is not null;
            end loop;
            while sample is null and (page is null or cardinality(page) >= page_rows) loop
                page := oai.map_next(m, oai.map_key(page[cardinality(page)]), page_rows);
                return query select * from oai.map_differences(m.id, page, null) x
                    where not exists (select from library.mapped d where d.mapping = m.id
                        and d.local_id = x.local_id and not d.gone and d.key is not null);
            end loop;
        exception when others then
            return query select null::text, rtrim('the source ' || m.part),
                format('cannot be read now: %s (SQLSTATE %s)', sqlerrm, sqlstate);
        end;
    end loop;
end $$;
