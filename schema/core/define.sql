-- SPDX-License-Identifier: MIT
-- Definitions are applied again by each upgrade, beside servers, the publisher and loaders. A view, a
-- trigger, or a comment on a table locks what it belongs to, so it is left as it is where nothing changes: a
-- long transaction of somebody else then holds up no upgrade, and no upgrade holds up others.

create or replace function oai.columns_of(relation regclass) returns text[] language sql stable as $$
    select array(select quote_ident(a.attname) from pg_attribute a
                 where a.attrelid = relation and a.attnum > 0 and not a.attisdropped order by a.attnum)
$$;

-- Runs `create or replace view` or `create or replace trigger`, unless it was what was said last, or `comment
-- on`, unless there is any comment, be it the site's own: it stays then. Where a release says something else,
-- an upgrade says so first. A view only takes further columns at its end: where they shall be elsewhere, it
-- selects from what the statement says.
create or replace function oai.define(statement text) returns void language plpgsql as $$
declare
    part  text[] := regexp_match(statement, '^\s*create or replace (view|trigger)\s+(\S+)(.*)$');
    place constant regclass := to_regclass(case when part[1] = 'view' then part[2]
                                                else (regexp_match(part[3], '\son\s+(\S+)'))[1] end);
    called constant text   := concat_ws(' ', part[1], part[2], nullif(place::text, part[2]));
    given  constant text   := md5(statement);
    has    constant text[] := oai.columns_of(place);
    wanted text[];
    said   text;
begin
    if part is null then
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
        return;
    end if;
    if place is not null and (part[1] = 'view' or exists (
            select from pg_trigger t where t.tgrelid = place and t.tgname = part[2])) then
        if exists (select from oai.definition d where d.name = called and d.checksum = given) then
            return;
        end if;
        if part[1] = 'view' then
            execute 'create temporary view definition' || part[3];
            wanted := oai.columns_of('pg_temp.definition');
            drop view pg_temp.definition;
            if has <> wanted[:cardinality(has)] then
                statement := format('create or replace view %s as select %s from (%s) r', part[2],
                    (select string_agg('r.' || c, ', ' order by coalesce(array_position(has, c), 10000), n)
                     from unnest(wanted) with ordinality u(c, n)),
                    regexp_replace(regexp_replace(part[3], '^\s*as\s', ''), '[;\s]*$', ''));
            end if;
        end if;
    end if;
    execute statement;
    insert into oai.definition as d (name, checksum) values (called, given)
    on conflict (name) do update set checksum = excluded.checksum where d.checksum <> excluded.checksum;
end $$;

create or replace function oai.define_all(statements text) returns void language sql as $$
    select oai.define(s) from regexp_split_to_table(statements, ';') s
$$;
