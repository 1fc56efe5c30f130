-- SPDX-License-Identifier: MIT
-- Names that make sets, and are shown in records. They cannot be changed or removed, so a transaction that
-- has seen a name need not check again whether it still exists.

create or replace function oai.refuse_renaming() returns trigger language plpgsql as $$
begin
    raise exception 'rows of %.% are not deleted and cannot be renamed, since records that carry their names '
        'are already given out', tg_table_schema, tg_table_name
        using hint = 'Insert a row with the new name and let items refer to it; an unused one does no harm.';
end $$;

create or replace function oai.protect_names(names regclass) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.define_all(format($create$
        create or replace trigger refuse_renaming before update on %1$s for each row
            when (old.* is distinct from new.*) execute function oai.refuse_renaming();
        create or replace trigger refuse_removing before delete or truncate on %1$s
            for each statement execute function oai.refuse_renaming()$create$, names));
end $$;

-- A table with the columns id, which is the id of the set; parent; name, such as culture:estonia; and title,
-- for people. Inserting a name also makes its set and its ancestors. Two programs may insert the same name at
-- the same time. Arguments: the root's setSpec, and the function (tree, name) that says a missing title.
create or replace function oai.place_name() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare
    tree      text := tg_argv[0];
    above     text := regexp_replace(new.name, ':?[^:]*$', '');
    set_above integer;
begin
    if new.name is null then
        return new;   -- The constraint NOT NULL of the column then rejects the row.
    end if;
    select s.id into set_above from oai.set s where s.spec = concat_ws(':', tree, nullif(above, ''));
    if set_above is null then set_above := oai.name_id(tg_relid, nullif(above, '')); end if;
    if new.title is null then
        execute format('select %s($1, $2)', tg_argv[1]) into new.title using tree, new.name;
    end if;
    new.parent := case when above <> '' then set_above end;
    insert into oai.set (parent, spec, name) values (set_above, tree || ':' || new.name, new.title)
        on conflict (spec) do nothing;
    select s.id into new.id from oai.set s where s.spec = tree || ':' || new.name;
    return new;
end $$;

create or replace function oai.name_id(names regclass, wanted text) returns integer
language plpgsql strict as $$
declare found_id integer;
begin
    for attempt in 1 .. 2 loop
        execute format('select id from %s where name = $1', names) into found_id using wanted;
        exit when found_id is not null;
        execute format('insert into %s (name) values ($1) on conflict (name) do nothing', names) using wanted;
    end loop;
    return found_id;
end $$;

create or replace function oai.track_names(names regclass, tree text, title_of regproc) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.protect_names(names);
    perform oai.define(format('create or replace trigger place_name before insert on %s '
                              'for each row execute function oai.place_name(%L, %L)', names, tree, title_of));
end $$;
