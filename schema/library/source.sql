-- SPDX-License-Identifier: MIT
-- How the tables that items follow (follow.sql) are read. They may belong to somebody who is to get no right
-- here, and reading them can run what he wrote: functions in views, operators, casts, policies.

create or replace view library.map_table as   --- What mappings read; leads: columns to items, with triggers.
    select m.id as mapping, 1000 * m.id - 1001 + t.n::integer as n, t.relation, t.place, t.used, t.places,
           t.leads
    from library.mapping m, rows from (jsonb_to_recordset(m.tables) as (
        relation text, place text, used name[], places text[], leads name[])) with ordinality
        t(relation, place, used, places, leads, n)
    where m.source is not null;
create or replace view library.map_piece as
    with recursive piece as (
        select t.n, to_regclass(t.relation)::oid as oid from library.map_table t where t.leads is not null
        union select p.n, i.inhrelid from pg_inherits i join piece p on p.oid = i.inhparent)
    select p.n, p.oid::regclass as relation from piece p where p.oid is not null;
comment on view library.map_piece is 'Tables with triggers of mappings, and their partitions and heirs.';

create or replace function oai.map_keys(types text[], template text, separator text default ', ') returns text
language sql immutable as $$
    select string_agg(format(template, n, t), separator order by n) from unnest(types) with ordinality u(t, n)
$$;

-- So they are read with the rights of oai_source, to which this function belongs, and which can read those
-- tables and nothing else; no setting of the session reaches the values. `query` gives one jsonb[]; $1 in it
-- are the keys, a row for each.
create or replace function oai.read_source(query text, keys text[]) returns jsonb[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 as $$
declare page jsonb[];
begin
    execute query into page using keys;
    return page;
end $$;

-- The same, and whatever else was done in this session meanwhile is undone before anything runs on with other
-- rights: settings (a search_path outlives the function that sets it), deferred triggers, cursors. PostgreSQL
-- does not undo prepared statements, by which a client would be given others in the place of its own, so they
-- are taken away, also where it fails. (Advisory locks stay; they can keep an installation waiting.)
create or replace function oai.map_query(query text, keys text[] default null) returns jsonb[]
language plpgsql as $$
declare
    before constant name[] := array(select p.name from pg_prepared_statements p where p.from_sql);
    page   jsonb[];
    made   name;
begin
    begin
        page := oai.read_source(query, keys);
        raise sqlstate 'OAI01';
    exception when others or query_canceled or assert_failure then
        for made in select p.name from pg_prepared_statements p
                    where p.from_sql and p.name <> all (before) loop
            execute format('deallocate %I', made);
            page := null;
        end loop;
        if sqlstate <> 'OAI01' then raise; end if;
    end;
    if page is null then
        raise insufficient_privilege using message = 'what the source calls does more than to read';
    end if;
    return page;
end $$;

-- Lets oai_source read those of a mapping, as far as the caller may grant that; else whoever reads is told.
-- Rows that are hidden from it would be taken for gone.
create or replace function oai.map_open(map integer) returns void language plpgsql as $$
declare t record;
begin
    for t in select c.oid::regclass as name, c.relnamespace::regnamespace as namespace,
               has_table_privilege('oai_source', c.oid, 'select')
               and has_schema_privilege('oai_source', c.relnamespace, 'usage') as is_open,
               c.relrowsecurity and not exists (select from pg_policy p where p.polrelid = c.oid
                   and 'oai_source'::regrole = any (p.polroles)) as hides
        from library.map_table m join pg_class c on c.oid = to_regclass(m.relation) where m.mapping = map
    loop
        if t.hides then
            raise exception 'row security hides rows of % from oai_source; as its owner: create policy '
                'oai_source on % for select to oai_source using (true)', t.name, t.name
                using errcode = 'insufficient_privilege';
        end if;
        begin
            if not t.is_open then
                execute format('grant usage on schema %s to oai_source; grant select on %s to oai_source',
                               t.namespace, t.name);
            end if;
        exception when insufficient_privilege then
        end;
    end loop;
end $$;

-- Rows of the source, as far as `which` says: key, local_id, brought, again, names, content; null: not yet.
create or replace function oai.map_rows(m library.mapping, which text, keys text[] default null,
                                        only_keys boolean default false) returns jsonb[] language sql as $$
    select oai.map_query(format(
        E'select coalesce(array_agg(jsonb_build_object(\'key\', array[%s], \'local_id\', s.local_id%s)), '
        '\'{}\') from (select s.* from (%s\n) s %s) s%s', oai.map_keys(m.key_types, 's.key_%s::text'),
        case when not only_keys then ', ''brought'', s.brought, ''again'', s.again, '
            '''names'', s.names, ''content'', case when s.is_shown then s.content end' else '' end,
        m.source, which, case when only_keys then ' where s.is_shown' else '' end), keys)
$$;

create or replace function oai.map_found(m library.mapping, keys text[], only_keys boolean default false)
returns jsonb[] language sql as $$
    select oai.map_rows(m, 'where ' || oai.map_keys(m.key_types,
        's.key_%1$s = any ((($1)[:][%1$s:%1$s])::%2$s[])', ' and '), keys, only_keys)
$$;

-- The next `page_rows` of them after a key, with all that share the last key. What they have is asked for
-- these alone, since not every query can be sorted without it.
create or replace function oai.map_next(m library.mapping, after text[], page_rows integer) returns jsonb[]
language plpgsql as $$
declare
    columns constant text := oai.map_keys(m.key_types, 's.key_%s');
    further constant text := case when after is null then 'true' else format('(%s) > (%s)', columns,
        (select string_agg(format('%L::%s', a, t), ', ' order by n)
         from unnest(after, m.key_types) with ordinality u(a, t, n))) end;
begin
    return oai.map_rows(m, format(
        E'where %1$s and (%2$s) <= (select %2$s from (select %2$s from (%3$s\n) s where %1$s '
        'order by %2$s limit %4$s) s order by %5$s limit 1) order by %2$s', further, columns, m.source,
        page_rows, oai.map_keys(m.key_types, 's.key_%s desc')));
end $$;

create or replace function oai.map_key(found jsonb) returns text[] language sql immutable strict as $$
    select array(select k from jsonb_array_elements_text(found -> 'key') with ordinality u(k, n) order by n)
$$;

-- Of what was found, with which checksum it would be written. The sets, but for those that others are below,
-- belong to the content, their names do not.
create or replace function oai.map_unpacked(found jsonb[], out n bigint, out key text[], out local_id text,
    out brought timestamptz, out again timestamptz, out names jsonb, out content jsonb, out deleted boolean,
    out checksum bigint) returns setof record language sql immutable as $$
    select u.n, oai.map_key(u.row), u.row ->> 'local_id', (u.row ->> 'brought')::timestamptz,
           (u.row ->> 'again')::timestamptz, s.names, c.content, c.content ? 'deleted',
           hashtextextended(case when c.content ? 'deleted' then '' else c.content::text end, 0)
    from unnest(found) with ordinality u(row, n), nullif(u.row -> 'names', 'null') s(names), lateral (
        select nullif(u.row -> 'content', 'null')
               || jsonb_strip_nulls(jsonb_build_object('sets', jsonb_agg(k order by k)))
        from jsonb_object_keys(s.names) k
        where not exists (select from jsonb_object_keys(s.names) o where starts_with(o, k || ':'))
        ) c(content)
$$;

select oai.run_as('oai_source', 'oai.read_source');
grant execute on function oai.encode_bytes, oai.percent_encode, oai.set_label, oai.set_spec, oai.iso_time
    to oai_source;
