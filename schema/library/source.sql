-- SPDX-License-Identifier: MIT
-- How the tables that items follow (follow.sql) are read. They may belong to somebody who is to get no right
-- here, and reading them can run what he wrote: functions in views, operators, casts, policies.

-- The columns of the key in the source.
create or replace function oai.map_keys(types text[], template text, separator text default ', ') returns text
language sql immutable as $$
    select string_agg(format(template, n, t), separator order by n) from unnest(types) with ordinality u(t, n)
$$;

-- So they are read with the rights of oai_source, to which this function belongs, and which can read those
-- tables and nothing else. `query` gives one jsonb[]; $1 in it are the keys, a row for each.
create or replace function oai.read_source(query text, keys text[]) returns jsonb[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare page jsonb[];
begin
    execute query into page using keys;
    return page;
end $$;

-- The same, and whatever else was done in this session meanwhile is undone before anything runs on with other
-- rights: settings (a search_path outlives the function that sets it), deferred triggers, cursors. PostgreSQL
-- does not undo prepared statements, by which a client would be given others in the place of its own, so they
-- are taken away, also where it fails. Nor does it undo advisory locks of the session: with those an owner
-- can keep `oai schema install` waiting until the publisher's connection ends, and nothing else.
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

-- Lets oai_source read them, as far as the caller may grant that; else whoever reads is told. Rows that are
-- hidden from it would be taken for gone.
create or replace function oai.map_open(relations text[]) returns void language plpgsql as $$
declare t record;
begin
    for t in
        select c.oid::regclass as name, c.relnamespace::regnamespace as namespace,
               has_table_privilege('oai_source', c.oid, 'select')
               and has_schema_privilege('oai_source', c.relnamespace, 'usage') as is_open,
               c.relrowsecurity and not exists (select from pg_policy p where p.polrelid = c.oid
                   and 'oai_source'::regrole = any (p.polroles)) as hides
        from pg_class c where c.oid in (select to_regclass(r) from unnest(relations) r)
    loop
        if t.hides then
            raise exception 'row security hides rows of % from oai_source', t.name
                using errcode = 'insufficient_privilege', hint = format('As its owner: create policy '
                    'oai_source on %s for select to oai_source using (true)', t.name);
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

-- Lets oai_source read the tables of the map no more, but for these.
create or replace function oai.map_leave(kept text[]) returns void language plpgsql as $$
begin
    execute (select coalesce(string_agg(format('revoke select on %1$s from oai_source; '
            'revoke usage on schema %2$s from oai_source;' || case when p.oid is not null then
            'drop policy oai_source on %1$s;' else '' end,
            c.oid::regclass, c.relnamespace::regnamespace), ''), '')
        from pg_class c left join pg_policy p on p.polrelid = c.oid and p.polname = 'oai_source'
        where c.oid in (select to_regclass(t.relation) from library.map_table t
                        where t.relation <> all (kept)));
end $$;

-- What is compared: `sets`, the keys of `names`, belong to the content; the names of the sets do not.
create or replace function oai.map_whole(content jsonb, names jsonb) returns jsonb
language sql immutable as $$
    select content || jsonb_build_object('sets', (select jsonb_agg(k order by k)
                                                  from jsonb_object_keys(names) k))
$$;

-- Rows of the source, as far as `which` says: key, local_id, brought, names, content.
create or replace function oai.map_rows(m library.mapping, which text, keys text[] default null,
                                        only_keys boolean default false) returns jsonb[]
language sql as $$
    select oai.map_query(format(
        E'select coalesce(array_agg(jsonb_build_object(\'key\', array[%s], \'local_id\', s.local_id%s)), '
        '\'{}\') from (select s.* from (%s\n) s %s) s', oai.map_keys(m.key_types, 's.key_%s::text'),
        case when not only_keys then ', ''brought'', s.brought, ''names'', s.names, ''content'', s.content'
            else '' end, m.source, which), keys)
$$;

create or replace function oai.map_found(m library.mapping, keys text[], only_keys boolean default false)
returns jsonb[] language sql as $$
    select oai.map_rows(m, 'where ' || oai.map_keys(m.key_types,
        's.key_%1$s = any ((($1)[:][%1$s:%1$s])::%2$s[])', ' and '), keys, only_keys)
$$;

-- The next `page_rows` of them after a key; and one more with the last key, so that rows that share a key are
-- on one page.
create or replace function oai.map_next(m library.mapping, after text[], page_rows integer) returns jsonb[]
language plpgsql as $$
declare
    columns constant text := oai.map_keys(m.key_types, 's.key_%s');
    page jsonb[] := oai.map_rows(m, case when after is not null then format('where (%s) > (%s)', columns,
        (select string_agg(format('%L::%s', a, t), ', ') from unnest(after, m.key_types) u(a, t)))
        else '' end || format(' order by %s limit %s', columns, page_rows + 1));
begin
    if page[page_rows + 1] -> 'key' <> page[page_rows] -> 'key' then return page[:page_rows]; end if;
    return page;
end $$;

create or replace function oai.map_key(found jsonb) returns text[] language sql immutable strict as $$
    select array(select k from jsonb_array_elements_text(found -> 'key') with ordinality u(k, n) order by n)
$$;

-- Of what was found, with which checksum it would be written.
create or replace function oai.map_unpacked(found jsonb[], out n bigint, out key text[], out local_id text,
    out brought timestamptz, out names jsonb, out content jsonb, out checksum bigint) returns setof record
language sql immutable as $$
    select r.n, oai.map_key(r.row), r.row ->> 'local_id', (r.row ->> 'brought')::timestamptz, r.names,
           r.content, hashtextextended(r.content::text, 0)
    from (select u.n, u.row, s.names, oai.map_whole(u.row -> 'content', s.names) as content
          from unnest(found) with ordinality u(row, n), nullif(u.row -> 'names', 'null') s(names) offset 0) r
$$;

-- Who reads the mapped tables has no other right.
do $$
begin
    if not pg_has_role('oai_source', oai.may_become()) then
        execute format('grant oai_source to %I', current_user);
    end if;
    grant usage on schema oai to oai_source;
    grant execute on function oai.encode_bytes, oai.percent_encode, oai.set_label to oai_source;
    grant create on schema oai to oai_source;
    alter function oai.read_source owner to oai_source;
    revoke create on schema oai from oai_source;
    revoke execute on function oai.read_source from public;
exception when insufficient_privilege then
    raise warning 'the tables that oai map follows are read with the rights of %', current_user
        using hint = format('As a superuser: grant oai_source to %I; then install the schema again.',
                            current_user);
end $$;
