-- SPDX-License-Identifier: MIT

-- Creates the trigger function SCHEMA.TABLE_suffix with this body, and returns its qualified name.
create or replace function oai.make_trigger_function(relation regclass, suffix text, body text) returns text
language plpgsql set search_path = pg_catalog as $$
declare
    function_name text := (select format('%I.%I', n.nspname, left(c.relname, 62 - length(suffix)) || '_'
                                         || suffix)
                           from pg_class c join pg_namespace n on n.oid = c.relnamespace
                           where c.oid = relation);
begin
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   'set search_path = pg_catalog as %L', function_name, body);
    execute format('revoke execute on function %s() from public', function_name);
    return function_name;
end $$;

-- Items: the table oai.item, or the table behind the view oai.item. It has the columns id, seq, deleted and
-- set_ids of 001-contract.sql, and maybe others. As in 007-triggers.sql, but what is published as it is
-- inserted need not wait for the publisher.
create or replace function oai.queue_inserted() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id) select c.id from changed c;
    end if;
    return null;
end $$;

-- The publisher's own UPDATE is not a change; it is told by a setting, because triggers with transition
-- tables cannot be restricted to some columns. *<> compares the stored bytes of rows, because some types
-- (xml) have no equality operator. The same triggers as in 007-triggers.sql, which trusted the setting alone.
create or replace function oai.queue_updated() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id) select c.id from was w join changed c using (id) where w *<> c;
    end if;
    return null;
end $$;

create or replace function oai.refuse_truncate() returns trigger language plpgsql as $$
begin
    raise exception 'TRUNCATE of %.% would hide from harvesters what is gone', tg_table_schema, tg_table_name
        using hint = 'Use DELETE, which leaves tombstones.';
end $$;

-- As in 007-triggers.sql, and protects the columns. Tombstones are inserted with the number that the item
-- has.
create or replace function oai.track_items(items regclass) returns void
language plpgsql set search_path = pg_catalog as $track$
declare
    -- DELETE leaves a tombstone of each item that was published. Items that were never published are simply
    -- gone, and so are tombstones that are purged (005-deletion.sql). The columns are not listed, because a
    -- model may get further ones later.
    keep_tombstones text := oai.make_trigger_function(items, 'keep_tombstones', format($body$
declare
    setting text := coalesce(current_setting('oai.publisher', true), '');
begin
    if not oai.is_publishing() then
        perform set_config('oai.publisher', 'tombstones', true);
        insert into %1$s
        select t.* from was w, jsonb_populate_record(w::%1$s, '{"deleted": true}') t where w.seq is not null;
        perform set_config('oai.publisher', setting, true);
    end if;
    return null;
end $body$, items));
begin
    execute format('select id, seq, deleted, set_ids from %s limit 0', items);   -- Fails now, not on writes.
    perform oai.define_all(format($create$
        create or replace trigger queue_inserted after insert on %1$s referencing new table as changed
            for each statement execute function oai.queue_inserted();
        create or replace trigger queue_updated after update on %1$s referencing old table as was new table as changed
            for each statement execute function oai.queue_updated();
        create or replace trigger keep_tombstones after delete on %1$s referencing old table as was
            for each statement execute function %2$s();
        create or replace trigger refuse_truncate before truncate on %1$s
            for each statement execute function oai.refuse_truncate()$create$, items, keep_tombstones));
    perform oai.protect_items(items);
end $track$;

-- Runs after INSERT and after DELETE, where `changed` holds the removed rows. Leaves out items that this
-- transaction has queued before.
create or replace function oai.queue_filed() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id)
        select distinct c.item from changed c(item)
        where not exists (select from oai.queue q where q.id = c.item and q.xmin = pg_current_xact_id()::xid);
    end if;
    return null;
end $$;

create or replace function oai.queue_refiled() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    insert into oai.queue (id) select w.item from was w(item) union select c.item from changed c(item);
    return null;
end $$;

-- check_when: a condition without which rows are not checked; '' for none.
create or replace function oai.track_filing(filing regclass, items regclass, names regclass,
                                            check_when text default '') returns void
language plpgsql set search_path = pg_catalog as $track$
declare
    -- Checks for all rows of a statement at once what foreign keys would check row by row. An item that
    -- another transaction could still delete is locked until this transaction ends; items that this
    -- transaction has written itself, as a loader does, need no lock.
    check_filed text := oai.make_trigger_function(filing, 'check_filed', format($body$
declare
    own    xid := pg_current_xact_id()::xid;
    others bigint[] := array(select c.item from (select distinct c.item from changed c(item)) c
                             where not exists (select from %1$s i where i.id = c.item
                                               and i.xmin = own) order by 1);
    item   bigint;
    name   integer;
begin
    if cardinality(others) > 0 then
        perform from %1$s i where i.id = any (others) for key share;
        select o.id into item from unnest(others) o(id) where not exists (select from %1$s i
            where i.id = o.id) limit 1;
    end if;
    select c.name into name from (select distinct c.name from changed c(item, name)) c
    where not exists (select from %2$s n where n.id = c.name) limit 1;
    if item is not null or name is not null then
        raise foreign_key_violation using message = format('%%s.%%s: there is no %%s %%s', tg_table_schema,
                                                           tg_table_name,
            (select t.relname from pg_class t where t.oid = case when item is null then %2$L::regclass
             else %1$L end),
            coalesce(item, name));
    end if;
    return null;
end $body$, items, names));
    -- Items that are removed from their table are removed from the filing table, too.
    remove_deleted text := oai.make_trigger_function(filing, 'remove_deleted', format($body$
begin
    delete from %s f using was w where f.%I = w.id;
    return null;
end $body$, filing, (select a.attname from pg_attribute a where a.attrelid = filing and a.attnum = 1)));
begin
    perform oai.define_all(format($create$
        create or replace trigger check_filed after insert on %1$s referencing new table as changed
            for each statement %5$s execute function %3$s();
        create or replace trigger check_refiled after update on %1$s referencing new table as changed
            for each statement execute function %3$s();
        create or replace trigger queue_filed after insert on %1$s referencing new table as changed
            for each statement execute function oai.queue_filed();
        create or replace trigger queue_refiled after update on %1$s referencing old table as was new table as changed
            for each statement execute function oai.queue_refiled();
        create or replace trigger queue_unfiled after delete on %1$s referencing old table as changed
            for each statement execute function oai.queue_filed();
        create or replace trigger refuse_truncate before truncate on %1$s
            for each statement execute function oai.refuse_truncate();
        create or replace trigger remove_filing after delete on %2$s referencing old table as was
            for each statement execute function %4$s()$create$,
        filing, items, check_filed, remove_deleted,
        case when check_when <> '' then format('when (%s)', check_when) else '' end));
end $track$;

-- Protects names that are shown in records: rows cannot be changed or removed. So a transaction that has seen
-- a name need not check again whether it still exists.
create or replace function oai.refuse_renaming() returns trigger language plpgsql as $$
begin
    raise exception '%.%: a row cannot be renamed, since records that carry its name are already given out',
        tg_table_schema,
        tg_table_name using hint = 'Insert a row with the new name and let the items refer to it.';
end $$;

create or replace function oai.refuse_removing() returns trigger language plpgsql as $$
begin
    raise exception 'rows of %.% are not deleted, since records that carry their names are already given out',
        tg_table_schema, tg_table_name using hint = 'An unused name does no harm.';
end $$;

create or replace function oai.protect_names(names regclass) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.define_all(format($create$
        create or replace trigger refuse_renaming before update on %1$s for each row
            when (old.* is distinct from new.*) execute function oai.refuse_renaming();
        create or replace trigger refuse_removing before delete or truncate on %1$s
            for each statement execute function oai.refuse_removing()$create$, names));
end $$;

-- Names that make a tree of sets: a table with the columns id, which is the id of the set; parent; name, such
-- as culture:estonia; and title, for people. Inserting a name also makes its set and its ancestors. Two
-- programs may insert the same name at the same time. The trigger's argument is the setSpec of the root of
-- the tree. To fill in missing titles, a model adds a trigger whose name sorts before the name of this one.
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
    new.parent := null;
    if above = '' then
        select s.id into set_above from oai.set s where s.spec = tree;
    else
        select s.id into set_above from oai.set s where s.spec = tree || ':' || above;
        if set_above is null then
            execute format('insert into %s (name) values ($1) on conflict (name) do nothing',
                           tg_relid::regclass) using above;
            select s.id into set_above from oai.set s where s.spec = tree || ':' || above;
        end if;
        new.parent := set_above;
    end if;
    insert into oai.set (parent, spec, name) values (set_above, tree || ':' || new.name, new.title)
        on conflict (spec) do nothing;
    select s.id into new.id from oai.set s where s.spec = tree || ':' || new.name;
    return new;
end $$;

create or replace function oai.track_names(names regclass, tree text) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.protect_names(names);
    perform oai.define(format('create or replace trigger place_name before insert on %s for each row '
                              'execute function oai.place_name(%L)', names, tree));
end $$;

-- Sources: a table of a repository that keeps its items in a separate table oai.item. A row belongs to the
-- item whose local_id is the value of the row's column `key`. When the row is removed, the item stays as a
-- tombstone.
create or replace function oai.track_source(source regclass, key name) returns void
language plpgsql set search_path = pg_catalog as $track$
begin
    execute format('select %I from %s limit 0', key, source);   -- Fails now, not on writes.
    perform oai.define_all(format($create$
        create or replace trigger add_items after insert on %1$s referencing new table as changed
            for each statement execute function %2$s();
        create or replace trigger queue_items after update on %1$s referencing old table as was new table as changed
            for each statement execute function %3$s();
        create or replace trigger delete_items after delete on %1$s referencing old table as was
            for each statement execute function %4$s()$create$,
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
    select i.id from was w join changed c using (%1$I) join oai.item i on i.local_id = %1$I::text
    where w *<> c;
    -- Another key.
    if exists (select from was w where not exists (select from changed c where c.%1$I = w.%1$I)) then
        with gone as (update oai.item i set deleted = true from was w
                      where i.local_id = w.%1$I::text and not exists (select from changed c
                                                                      where c.%1$I = w.%1$I) returning i.id),
        present as (insert into oai.item (local_id)
                    select c.%1$I::text from changed c where not exists (select from was w
                        where w.%1$I = c.%1$I)
                    on conflict (local_id) do update set deleted = false returning id)
        insert into oai.queue (id) select id from gone union all select id from present;
    end if;
    return null;
end $body$, key)),
        oai.make_trigger_function(source, 'delete_items', format($body$
begin
    with gone as (update oai.item i set deleted = true from was w where i.local_id = w.%1$I::text
                  returning i.id)
    insert into oai.queue (id) select id from gone;
    return null;
end $body$, key))));
end $track$;

-- Makes a set for each new row of a table that the repository keeps beside oai.set. The setSpec is ROOT:KEY,
-- with the value of the key column; the name is the value of the title column.
create or replace function oai.track_source_sets(source regclass, root text, key name,
                                                 title name) returns void
language plpgsql set search_path = pg_catalog as $track$
begin
    execute format('select %I, %I from %s limit 0', key, title, source);
    perform oai.define(format('create or replace trigger add_set after insert on %s for each row execute function %s()',
                              source,
                              oai.make_trigger_function(source, 'add_set', format($body$
begin
    insert into oai.set (parent, spec, name) select s.id, s.spec || ':' || new.%I, new.%I from oai.set s
    where s.spec = %L;
    return null;
end $body$, key, title, root))));
end $track$;
