-- SPDX-License-Identifier: MIT
-- Puts the ids of items into the publisher's queue when other programs change model library, whatever statement they
-- use. The functions run with the rights of their owner, so that writers need no rights in schema oai.

-- The root sets of the three trees; every name lies below one of them.
insert into oai.set (parent, spec, name) values
    (null, 'type', 'Kinds of documents'), (null, 'lang', 'Languages'), (null, 'col', 'Collections');

-- 'lang', 'cs' -> 'Czech'; 'type', 'thesis:doctoral' -> 'thesis: doctoral'; a collection without title keeps its name.
create function library.title_of(tree text, name text) returns text language sql stable as $$
    select case tree
        when 'lang' then coalesce((select c.title from library.language_code c where c.code = title_of.name), name)
        when 'type' then replace(name, ':', ': ')
        else name end
$$;

-- Inserting a name into a tree also makes its set and its ancestors. Two programs may insert the same name at the same
-- time.
create function library.place_name() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    tree  text := tg_argv[0];
    above text := regexp_replace(new.name, ':?[^:]*$', '');
    set_above integer;
begin
    new.title := coalesce(new.title, library.title_of(tree, new.name));
    new.parent := null;
    if above is null or above = '' then   -- a NULL is rejected by the table itself
        select id into set_above from oai.set where spec = tree;
    else
        select id into set_above from oai.set where spec = tree || ':' || above;
        if set_above is null then
            execute format('insert into library.%I (name) values ($1) on conflict (name) do nothing', tg_table_name)
                using above;
            select id into set_above from oai.set where spec = tree || ':' || above;
        end if;
        new.parent := set_above;
    end if;
    insert into oai.set (parent, spec, name) values (set_above, tree || ':' || new.name, new.title)
        on conflict (spec) do nothing;
    select id into new.id from oai.set where spec = tree || ':' || new.name;
    return new;
end $$;
create trigger place_name before insert on library.collection for each row execute function library.place_name('col');
create trigger place_name before insert on library.kind for each row execute function library.place_name('type');
create trigger place_name before insert on library.language for each row execute function library.place_name('lang');

-- Names are shown in records that harvesters already have. And because names are permanent, a transaction that has
-- seen one may rely on it.
create function library.refuse_renaming() returns trigger language plpgsql as $$
begin
    raise exception '%.%: a row cannot be renamed, since records that carry its name are already given out', tg_table_schema,
        tg_table_name using hint = 'Insert a row with the new name and let the items refer to it.';
end $$;
create trigger refuse_renaming before update on library.collection for each row
    when (old.* is distinct from new.*) execute function library.refuse_renaming();
create trigger refuse_renaming before update on library.kind for each row
    when (old.* is distinct from new.*) execute function library.refuse_renaming();
create trigger refuse_renaming before update on library.language for each row
    when (old.* is distinct from new.*) execute function library.refuse_renaming();

create function library.refuse_unnaming() returns trigger language plpgsql as $$
begin
    raise exception 'rows of %.% are not deleted, since records that carry their names are already given out',
        tg_table_schema, tg_table_name using hint = 'An unused name does no harm.';
end $$;
create trigger refuse_unnaming before delete or truncate on library.collection for each statement execute function library.refuse_unnaming();
create trigger refuse_unnaming before delete or truncate on library.kind for each statement execute function library.refuse_unnaming();
create trigger refuse_unnaming before delete or truncate on library.language for each statement execute function library.refuse_unnaming();

-- Refuses a new id, because other tables (collections, origins) refer to the item by it, and a new local_id once the
-- item is published, because harvesters know the item by it.
create function library.refuse_new_identity() returns trigger language plpgsql as $$
begin
    raise exception 'item %: its % cannot become %', old.local_id,
        case when old.id <> new.id then 'id' else 'identifier is already given out and' end,
        case when old.id <> new.id then new.id::text else new.local_id end
        using hint = 'Delete the item, which leaves a tombstone, and insert it anew.';
end $$;
create trigger refuse_new_identity before update of id, local_id on library.item for each row
    when (old.id <> new.id or (old.seq is not null and old.local_id <> new.local_id))
    execute function library.refuse_new_identity();

-- 'cs', 'cs-CZ', 'cze', 'ces' -> 'cs'. Null for names of languages, and for the codes that mean no language or several
-- (und, mul, zxx, mis).
create function library.language_tag(value text) returns text language plpgsql stable as $$   -- plans are kept
declare
    given text := lower(substring(value from '^([A-Za-z]{2,3})(?:-[A-Za-z0-9-]*)?$'));
    known text;
begin
    if given in ('und', 'mul', 'zxx', 'mis') then
        return null;
    end if;
    select c.tag into known from library.language_code c where c.code = given;
    return coalesce(known, given);
end $$;

create function library.kind_id(name text) returns integer language plpgsql strict as $$
declare
    found_id integer;
begin
    select k.id into found_id from library.kind k where k.name = kind_id.name;
    if not found then
        insert into library.kind (name) values (kind_id.name) on conflict do nothing;
        select k.id into found_id from library.kind k where k.name = kind_id.name;
    end if;
    return found_id;
end $$;

create function library.language_id(tag text) returns integer language plpgsql strict as $$
declare
    found_id integer;
begin
    select l.id into found_id from library.language l where l.name = tag;
    if not found then
        insert into library.language (name) values (tag) on conflict do nothing;
        select l.id into found_id from library.language l where l.name = tag;
    end if;
    return found_id;
end $$;

-- Derives the sets of kind and language from the values of the item, so that writers need not know about these sets.
create function library.place_item() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    new.kind_id := library.kind_id(new.kind);
    new.language_ids := '{}';
    if new.language is not null then   -- most items have none, and the query takes as long as all else
        new.language_ids := coalesce(
            (select array_agg(library.language_id(t.tag) order by t.tag)
             from (select distinct library.language_tag(l) as tag from unnest(new.language) l) t where t.tag is not null), '{}');
    end if;
    return new;
end $$;
create trigger place_item before insert or update of kind, kind_id, language, language_ids on library.item
    for each row execute function library.place_item();

create function library.queue_inserted() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id) select id from changed;
    return null;
end $$;
create trigger queue_inserted after insert on library.item referencing new table as changed
    for each statement execute function library.queue_inserted();

-- The publisher's own UPDATE is not a change; it is told by a setting, because triggers with transition tables cannot
-- be restricted to some columns. *<> compares rows as they are stored, because the type xml has no equality operator.
create function library.queue_updated() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    if current_setting('oai.publisher', true) is distinct from 'on' then
        insert into oai.queue (id)
        select n.id from was w join changed n using (id) where w *<> n;
    end if;
    return null;
end $$;
create trigger queue_updated after update on library.item referencing old table as was new table as changed
    for each statement execute function library.queue_updated();

-- DELETE leaves a tombstone of each item that was published. Those that were never published are simply gone, and so
-- are tombstones that are purged (005-deletion.sql). In either case the item is removed from its collections.
create function library.keep_tombstone() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    item library.item;
begin
    if current_setting('oai.publisher', true) is distinct from 'on' then
        for item in select * from gone where seq is not null loop
            item.deleted := true;
            insert into library.item values (item.*);
        end loop;
    end if;
    delete from library.item_collection c using gone g where c.id_item = g.id;
    return null;
end $$;
create trigger keep_tombstone after delete on library.item referencing old table as gone
    for each statement execute function library.keep_tombstone();

create function library.refuse_truncate() returns trigger language plpgsql as $$
begin
    raise exception 'TRUNCATE of %.% would hide from harvesters what is gone', tg_table_schema, tg_table_name
        using hint = 'Use DELETE, which leaves tombstones.';
end $$;
create trigger refuse_truncate before truncate on library.item
    for each statement execute function library.refuse_truncate();
create trigger refuse_truncate before truncate on library.item_collection
    for each statement execute function library.refuse_truncate();

-- Checks for all rows of a statement at once what foreign keys would check row by row. An item that another
-- transaction could still delete is locked until this transaction ends; items that this transaction has written
-- itself, as a loader does, need no lock.
create function library.check_filed() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    own        xid := pg_current_xact_id()::xid;
    strange    bigint[] := array(select c.id_item from (select distinct id_item from changed) c
                                 where not exists (select from library.item i where i.id = c.id_item and i.xmin = own)
                                 order by 1);
    item       bigint;
    collection integer;
begin
    if cardinality(strange) > 0 then
        perform from library.item i where i.id = any (strange) for key share;
        select s.id into item from unnest(strange) s(id)
        where not exists (select from library.item i where i.id = s.id) limit 1;
    end if;
    select c.id into collection from (select distinct id_collection as id from changed) c
    where not exists (select from library.collection n where n.id = c.id) limit 1;
    if item is not null or collection is not null then
        raise foreign_key_violation using message = format('library.item_collection: there is no %s %s',
            case when item is null then 'collection' else 'item' end, coalesce(item, collection));
    end if;
    return null;
end $$;
create trigger check_filed after insert on library.item_collection referencing new table as changed
    for each statement execute function library.check_filed();
create trigger check_refiled after update on library.item_collection referencing new table as changed
    for each statement execute function library.check_filed();

create function library.queue_filed() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id)
    select distinct c.id_item from changed c   -- except items that this transaction has queued before
    where not exists (select from oai.queue q where q.id = c.id_item and q.xmin = pg_current_xact_id()::xid);
    return null;
end $$;
create trigger queue_filed after insert on library.item_collection referencing new table as changed
    for each statement execute function library.queue_filed();
create trigger queue_unfiled after delete on library.item_collection referencing old table as changed
    for each statement execute function library.queue_filed();

create function library.queue_refiled() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
begin
    insert into oai.queue (id) select id_item from was union select id_item from changed;
    return null;
end $$;
create trigger queue_refiled after update on library.item_collection
    referencing old table as was new table as changed
    for each statement execute function library.queue_refiled();

-- The functions that 005-deletion.sql requires of a model.
create function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint language sql as $$
    update library.item set deleted = mark where id = any (ids) and deleted <> mark returning id
$$;

create function oai.remove_items(ids bigint[]) returns void language sql security definer set search_path = pg_catalog as $$
    delete from library.item where id = any (ids) and deleted
$$;

revoke execute on function oai.find_item, oai.mark_deleted, oai.remove_items from public;
grant execute on function oai.mark_deleted, oai.find_item to oai_loader;
grant execute on function oai.remove_items to oai_publisher;
grant select on oai.item to oai_loader;
grant select on oai.item, oai.record, oai.dictionary to oai_reader;
grant execute on function oai.find_item to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant usage on schema library to oai_loader;
grant select, insert, update, delete on all tables in schema library to oai_loader;
grant usage on all sequences in schema library to oai_loader;
