-- SPDX-License-Identifier: MIT
-- Names that make sets, and tables of a repository's own that make items and sets.

-- Protects names that are shown in records: rows cannot be changed or removed. So a transaction that has seen
-- a name need not check again whether it still exists.
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

-- Names that make a tree of sets: a table with the columns id, which is the id of the set; parent; name, such
-- as culture:estonia; and title, for people. Inserting a name also makes its set and its ancestors. Two
-- programs may insert the same name at the same time. The trigger's argument is the setSpec of the root of
-- the tree. Missing titles are filled in by a trigger whose name sorts before the name of this one.
create or replace function oai.place_name() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare
    tree      text := tg_argv[0];
    above     text := regexp_replace(new.name, ':?[^:]*$', '');
    place     text := concat_ws(':', tree, nullif(above, ''));
    set_above integer;
begin
    if new.name is null then
        return new;   -- The constraint NOT NULL of the column then rejects the row.
    end if;
    select s.id into set_above from oai.set s where s.spec = place;
    if set_above is null and above <> '' then
        execute format('insert into %s (name) values ($1) on conflict (name) do nothing', tg_relid::regclass)
            using above;
        select s.id into set_above from oai.set s where s.spec = place;
    end if;
    new.parent := case when above <> '' then set_above end;
    insert into oai.set (parent, spec, name) values (set_above, tree || ':' || new.name, new.title)
        on conflict (spec) do nothing;
    select s.id into new.id from oai.set s where s.spec = tree || ':' || new.name;
    return new;
end $$;

create or replace function oai.track_names(names regclass, tree text, title_of regproc default null)
returns void language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.protect_names(names);
    perform oai.define(format('create or replace trigger place_name before insert on %s '
                              'for each row execute function oai.place_name(%L)', names, tree));
    if title_of is not null then
        perform oai.define(format('create or replace trigger fill_title before insert on %s for each row '
                                  'when (new.title is null) execute function %s()', names,
                                  oai.make_trigger_function(names, 'fill_title', format($body$
begin
    new.title := %s(%L, new.name);
    return new;
end $body$, title_of, tree))));
    end if;
end $$;
comment on function oai.track_names is 'Makes the triggers of a table (id, parent, name, title) whose names '
    'make sets below the set with the setSpec `tree`, and cannot be changed.';

create or replace function oai.track_source(source regclass, key name) returns void
language plpgsql set search_path = pg_catalog as $track$
begin
    execute format('select %I from %s limit 0', key, source);   -- Fails now, not on writes.
    perform oai.define_all(format($create$
        create or replace trigger add_items after insert on %1$s
            referencing new table as changed for each statement execute function %2$s();
        create or replace trigger queue_items after update on %1$s referencing old table as was
            new table as changed for each statement execute function %3$s();
        create or replace trigger delete_items after delete on %1$s
            referencing old table as was for each statement execute function %4$s()$create$,
        source,
        oai.make_trigger_function(source, 'add_items', format($body$
begin
    with present as (insert into oai.item (local_id) select c.%1$I::text from changed c
                     on conflict (local_id) do update set deleted = false returning id)
    insert into oai.queue (id) select id from present;
    return null;
end $body$, key)),
        oai.make_trigger_function(source, 'queue_items', format($body$
begin
    insert into oai.queue (id)
    select i.id from was w join changed c using (%1$I) join oai.item i on i.local_id = w.%1$I::text
    where w *<> c;
    -- Another key.
    if exists (select from was w where not exists (select from changed c where c.%1$I = w.%1$I)) then
        with gone as (update oai.item i set deleted = true from was w
                      where i.local_id = w.%1$I::text
                        and not exists (select from changed c where c.%1$I = w.%1$I) returning i.id),
        present as (insert into oai.item (local_id)
                    select c.%1$I::text from changed c
                    where not exists (select from was w where w.%1$I = c.%1$I)
                    on conflict (local_id) do update set deleted = false returning id)
        insert into oai.queue (id) select id from gone union all select id from present;
    end if;
    return null;
end $body$, key)),
        oai.make_trigger_function(source, 'delete_items', format($body$
begin
    with gone as (
        update oai.item i set deleted = true from was w where i.local_id = w.%1$I::text returning i.id)
    insert into oai.queue (id) select id from gone;
    return null;
end $body$, key))));
end $track$;
comment on function oai.track_source is 'Makes the triggers of a table of a repository that keeps its items '
    'in a separate table oai.item: a row belongs to the item whose local_id is the value of the column '
    '`key`. When the row is removed, the item stays as a tombstone.';

create or replace function oai.track_source_sets(source regclass, root text, key name, title name)
returns void language plpgsql set search_path = pg_catalog as $track$
begin
    execute format('select %I, %I from %s limit 0', key, title, source);
    perform oai.define(format('create or replace trigger add_set after insert on %s '
                              'for each row execute function %s()', source,
                              oai.make_trigger_function(source, 'add_set', format($body$
begin
    insert into oai.set (parent, spec, name) select s.id, s.spec || ':' || new.%I, new.%I from oai.set s
    where s.spec = %L;
    return null;
end $body$, key, title, root))));
end $track$;
comment on function oai.track_source_sets is 'Makes a set for each new row of a table that the repository '
    'keeps beside oai.set: its setSpec is ROOT:KEY, with the value of the column `key`, its name that of '
    '`title`.';
