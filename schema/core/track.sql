-- SPDX-License-Identifier: MIT
-- Triggers on the tables of a model. They put the id of every changed item into oai.queue, and protect the
-- numbers, datestamps and published sets of items: if a writer changed those, a record could vanish from the
-- lists or come back under an old datestamp, and no harvester would learn of it. Writers have no rights on
-- these columns; owners of the tables and superusers are refused by triggers. These run with the rights of
-- their owner, so that writers need none in schema oai.

-- Creates the trigger function SCHEMA.TABLE_suffix with this body, and returns its name: dynamic SQL in a
-- trigger would be planned anew each time it fires, which doubles the cost of a row.
create or replace function oai.make_trigger_function(relation regclass, suffix text, body text) returns text
language plpgsql set search_path = pg_catalog as $$
declare
    function_name text := (
        select format('%I.%I', n.nspname, left(c.relname, 62 - length(suffix)) || '_' || suffix)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = relation);
begin
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   'set search_path = pg_catalog as %L', function_name, body);
    return function_name;
end $$;

-- Returns whether this transaction publishes: it has said so by the setting oai.publisher, which every role
-- may change, and it holds the row of oai.horizon, which no writer may lock. A loader publishes only until
-- its function returns (closed): what its transaction does after that is a change like any other.
create or replace function oai.is_publishing() returns boolean
language plpgsql volatile security definer set search_path = pg_catalog as $$
declare own xid8 := pg_current_xact_id_if_assigned();
begin
    return current_setting('oai.publisher', true) is not distinct from 'on'
        and exists (select from oai.horizon o
                    where (o.xmin = own::xid or o.xmax = own::xid) and o.closed is distinct from own);
end $$;

-- The rows whose column `key` is the id of a row that is removed from `gone` go with it.
create or replace function oai.remove_with(name text, rows regclass, key name, gone regclass) returns void
language plpgsql set search_path = pg_catalog as $$
begin
    perform oai.define(format('create or replace trigger %I after delete on %s referencing old table as was '
                              'for each statement execute function %s()', name, gone,
                              oai.make_trigger_function(rows, name, format($body$
begin
    delete from %s r using was w where r.%I = w.id;
    return null;
end $body$, rows, key))));
end $$;

-- What the publisher writes is no change; triggers with transition tables cannot be restricted to some
-- columns. *<> compares the stored bytes of rows, because some types (xml) have no equality operator.
create or replace function oai.queue_changed() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if oai.is_publishing() then return null; end if;
    if tg_op = 'INSERT' then
        insert into oai.queue (id) select c.id from changed c;
    else
        insert into oai.queue (id) select c.id from was w join changed c using (id) where w *<> c;
    end if;
    return null;
end $$;

create or replace function oai.refuse_truncate() returns trigger language plpgsql as $$
begin
    raise exception 'TRUNCATE of %.% would hide from harvesters what is gone', tg_table_schema, tg_table_name
        using hint = 'Use DELETE, which leaves tombstones.';
end $$;

-- The conditions are those of the triggers that call it.
create or replace function oai.refuse_numbering() returns trigger language plpgsql as $$
declare
    was constant jsonb := to_jsonb(old);
    now constant jsonb := to_jsonb(new);
begin
    if was ->> 'id' <> now ->> 'id' or old.seq is not null and was ->> 'local_id' <> now ->> 'local_id' then
        raise exception '%.%, item %: its % cannot become %', tg_table_schema, tg_table_name,
            coalesce(was ->> 'local_id', was ->> 'id'),
            case when old.id <> new.id then 'id' else 'identifier is already given out and' end,
            case when old.id <> new.id then now ->> 'id' else now ->> 'local_id' end
            using hint = 'Delete the item, which leaves a tombstone, and insert it anew.';
    end if;
    raise exception '%.%, item %: the publisher alone writes seq, set_ids and, once the item is published, '
        'its datestamp', tg_table_schema, tg_table_name, new.id
        using hint = 'Leave these columns out; a changed item is published by itself, with a new number.';
end $$;

-- A loader that publishes has looked up names and sets for a whole slice, so that nothing is checked row by
-- row, or twice (place_item, check_filed). Whoever else says that he publishes is refused.
create or replace function oai.refuse_unchecked() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        raise exception '%.%: rows are inserted with oai.publisher set to on, and this transaction publishes '
            'nothing', tg_table_schema, tg_table_name using hint = 'Leave the setting alone.';
    end if;
    return null;
end $$;

create or replace function oai.track_items(items regclass) returns void
language plpgsql set search_path = pg_catalog as $track$
declare
    -- DELETE leaves a tombstone of each item that was published, with the number that the item has. Items
    -- that were never published are simply gone, and so are tombstones that are purged (deletion.sql). The
    -- columns are not listed, because a model may get further ones later.
    keep_tombstones text := oai.make_trigger_function(items, 'keep_tombstones', format($body$
declare setting text := coalesce(current_setting('oai.publisher', true), '');
begin
    if not oai.is_publishing() then
        perform set_config('oai.publisher', 'tombstones', true);
        insert into %1$s
        select t.* from was w, jsonb_populate_record(w::%1$s, '{"deleted": true}') t where w.seq is not null;
        perform set_config('oai.publisher', setting, true);
    end if;
    return null;
end $body$, items));
    new_local_id text := case when 'local_id' = any (oai.columns_of(items))
                              then ' or old.seq is not null and old.local_id <> new.local_id' else '' end;
begin
    perform oai.define_all(format($create$
        create or replace trigger queue_inserted after insert on %1$s
            referencing new table as changed for each statement execute function oai.queue_changed();
        create or replace trigger queue_updated after update on %1$s referencing old table as was
            new table as changed for each statement execute function oai.queue_changed();
        create or replace trigger keep_tombstones after delete on %1$s
            referencing old table as was for each statement execute function %2$s();
        create or replace trigger refuse_truncate before truncate on %1$s
            for each statement execute function oai.refuse_truncate();
        create or replace trigger refuse_numbering before update on %1$s for each row
            when (old.id <> new.id%3$s
                  or (old.seq is distinct from new.seq or old.set_ids is distinct from new.set_ids
                      or (old.seq is not null and old.datestamp is distinct from new.datestamp))
                     and current_setting('oai.publisher', true) is distinct from 'on')
            execute function oai.refuse_numbering();
        create or replace trigger refuse_numbered before insert on %1$s for each row
            when ((new.seq is not null or new.set_ids <> '{}')
                  and coalesce(current_setting('oai.publisher', true), '') not in ('on', 'tombstones'))
            execute function oai.refuse_numbering()$create$, items, keep_tombstones, new_local_id));
    execute (select format('grant insert (%s), update (%s) on %s to oai_loader',
            string_agg(c, ', ') filter (where c <> all ('{seq,set_ids}')),
            string_agg(c, ', ') filter (where c <> all ('{id,seq,set_ids,datestamp}')), items)
        from unnest(oai.columns_of(items)) c);
end $track$;

-- A table of items with the columns visible_from, visible_until and hidden, and maybe access_from and opened.
-- A trigger keeps what holds as a row is written; at its second the publisher turns a row, by oai.turn_items.
-- It runs each second, so it must not read the table where there are no statistics yet, nor what is over.
create or replace function oai.track_dates(items regclass) returns void
language plpgsql set search_path = pg_catalog as $track$
declare
    opens constant boolean := exists (select from pg_attribute a
                                      where a.attrelid = items and a.attname = 'opened');
    turns constant text := (select string_agg(format('
    with due as (select i.id from %1$s i where %2$s limit n for no key update skip locked),
    turned as (update %1$s i set %3$s from due d where d.id = i.id returning i.id)
    insert into oai.queue (id) select r.id from turned r;', items, v.due, v.change), '')
        from (values ('hidden and visible_from is not null and tstzrange(visible_from, greatest('
                      'visible_from, coalesce(visible_until, ''infinity''))) @> t', 'hidden = false'),
                     ('not hidden and visible_until <= t', 'hidden = true'),
                     ('not opened and access_from <= t', 'opened = true')) v(due, change)
        where opens or v.change <> 'opened = true');
begin
    execute format('create or replace function oai.turn_items(t timestamptz, n integer) returns void
        language plpgsql security definer set search_path = pg_catalog set enable_seqscan = off
        set enable_bitmapscan = off as %L',
                   E'\nbegin' || turns || E'\nend ');
    perform oai.define_all(format('
        create or replace trigger keep_dates before insert on %1$s for each row
            when (new.visible_from is not null or new.visible_until is not null%2$s)
            execute function %4$s();
        create or replace trigger keep_changed_dates before update of visible_from, visible_until%3$s on %1$s
            for each row execute function %4$s()',
        items, case when opens then ' or new.access_from is not null' else '' end,
        case when opens then ', access_from' else '' end,
        oai.make_trigger_function(items, 'keep_dates', format($body$
begin
    new.hidden := coalesce(new.visible_from > clock_timestamp() or new.visible_until <= clock_timestamp(),
                           false);
    %s
    return new;
end $body$, case when opens then 'new.opened := coalesce(new.access_from <= clock_timestamp(), false);'
        else '' end))));
end $track$;
