-- SPDX-License-Identifier: MIT
-- Definitions are applied again by each upgrade, beside servers, the publisher and loaders. A function is
-- replaced without a lock on any table. A view, a trigger, or a comment on a table locks what it belongs to,
-- so it is left as it is where nothing changes: a long transaction of somebody else then holds up no upgrade,
-- and no upgrade holds up others.

-- The columns of a relation in their order; {} if there is none.
create or replace function oai.columns_of(relation regclass) returns text[] language sql stable as $$
    select array(select quote_ident(a.attname) from pg_attribute a
                 where a.attrelid = relation and a.attnum > 0 and not a.attisdropped order by a.attnum)
$$;

-- Replaces a view, unless it is just so; `rest`: what follows the view's name in the statement. A view only
-- takes further columns at its end: where they shall be elsewhere, it selects from what the statement says.
create or replace function oai.define_view(name text, rest text) returns void language plpgsql as $$
declare
    has    constant text[] := oai.columns_of(to_regclass(name));
    wanted text[];
    same   boolean;
begin
    execute 'create temporary view definition' || rest;
    wanted := oai.columns_of('pg_temp.definition');
    if has <> wanted[:cardinality(has)] then
        rest := format(' as select %s from (%s) r',
                       (select string_agg('r.' || c, ', ' order by coalesce(array_position(has, c), 10000), n)
                        from unnest(wanted) with ordinality u(c, n)),
                       regexp_replace(regexp_replace(rest, '^\s*as\s', ''), '[;\s]*$', ''));
        drop view pg_temp.definition;
        execute 'create temporary view definition' || rest;
    end if;
    select pg_get_viewdef(d.oid) = pg_get_viewdef(v.oid) and d.reloptions is not distinct
        from v.reloptions into same
    from pg_class d, pg_class v
    where d.oid = to_regclass('pg_temp.definition') and v.oid = to_regclass(name);
    drop view pg_temp.definition;
    if not same then execute format('create or replace view %s%s', name, rest); end if;
end $$;

-- The same for a trigger: compares with one on a temporary table of the same columns.
create or replace function oai.has_trigger(relation text, name text, statement text) returns boolean
language plpgsql as $$
declare
    is_view boolean := (select c.relkind = 'v' from pg_class c where c.oid = to_regclass(relation));
    plain   text    := '( ON | on\s+)\S+';
    has     text    := (select pg_get_triggerdef(t.oid) from pg_trigger t
                        where t.tgrelid = to_regclass(relation) and t.tgname = name and not t.tgisinternal);
    wanted  text;
begin
    if has is null or not has_database_privilege(current_database(), 'temporary') then return false; end if;
    execute format(case when is_view then 'create temporary view definition as table %s'
                        else 'create temporary table definition (like %s)' end, relation);
    execute regexp_replace(statement, plain, '\1pg_temp.definition');
    wanted := (select pg_get_triggerdef(t.oid) from pg_trigger t
               where t.tgrelid = to_regclass('pg_temp.definition') and t.tgname = name);
    execute format('drop %s pg_temp.definition', case when is_view then 'view' else 'table' end);
    return regexp_replace(has, plain, '\1') = regexp_replace(wanted, plain, '\1');
end $$;

-- Runs `create or replace view` or `create or replace trigger`, unless the database has just this one, or
-- `comment on`, unless there is any comment, be it the site's own: it stays then. Where a release says
-- something else, an upgrade says so first.
create or replace function oai.define(statement text) returns void language plpgsql as $$
declare
    part text[];
    said text;
begin
    part := regexp_match(statement, '^\s*create or replace view\s+(\S+)(.*)$');
    if part is not null and to_regclass(part[1]) is not null then
        perform oai.define_view(part[1], part[2]);
        return;
    end if;
    part := regexp_match(statement, '^\s*create or replace trigger\s+(\S+)(.*)$');
    if part is not null and oai.has_trigger((regexp_match(part[2], '\son\s+(\S+)'))[1], part[1], statement)
        then
        return;
    end if;
    part := regexp_match(statement, '^\s*comment on (table|view|column|index|function)\s+(\S+)\s+is\s');
    if part[1] = 'column' then   -- SCHEMA.TABLE.COLUMN
        select col_description(a.attrelid, a.attnum) into said from pg_attribute a
        where a.attrelid = to_regclass(regexp_replace(part[2], '\.[^.]*$', ''))
              and a.attname = substring(part[2] from '[^.]*$');
    elsif part[1] = 'function' then
        said := obj_description(to_regproc(part[2]), 'pg_proc');
    else
        said := obj_description(to_regclass(part[2]), 'pg_class');
    end if;
    if said is null then execute statement; end if;
end $$;

-- The same for triggers, one after the other.
create or replace function oai.define_all(statements text) returns void language sql as $$
    select oai.define(s) from regexp_split_to_table(statements, ';') s
$$;
