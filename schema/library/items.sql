-- SPDX-License-Identifier: MIT
-- What schema oai asks of a model (core/roles.sql), and the triggers of tables that any program may write.

create or replace view oai.item as
    select id, seq, local_id, datestamp, deleted or hidden as deleted, set_ids from library.item;

create or replace view oai.membership as select i.id, i.seq, i.local_id, i.datestamp,
           case when i.seq is not null or not i.hidden then i.deleted or i.hidden end as deleted, i.set_ids,
           array_remove(array[i.kind_id], null) || i.language_ids
           || array(select c.id_collection from library.item_collection c where c.id_item = i.id order by 1)
           || case when i.sets is null then '{}'
                   else array(select s.id from oai.set s where s.spec = any (i.sets) order by 1) end
               as sets_now
    from library.item i;

-- Collections are given by number only: a page would otherwise look them up. set_ids holds other sets, too.
-- At the end come the formats that are kept beside their items (harvest.keep_format).
create or replace function library.define_record() returns void language plpgsql as $define$
begin
    perform oai.define('create or replace view oai.record as ' || $view$
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted or i.hidden as deleted, i.set_ids,
           i.title, i.title_lang, i.creator, i.creator_lang, i.subject, i.subject_lang,
           i.description, i.description_lang, i.publisher, i.publisher_lang, i.contributor,
               i.contributor_lang,
           i.date, i.type, i.type_lang, i.format, i.identifier, i.source, i.source_lang, i.language,
           i.relation, i.relation_lang, i.coverage, i.coverage_lang, i.rights, i.rights_lang,
           i.doi, i.urn, i.landing_page, i.licence, lpad(i.year::text, 4, '0') as year, i.isbn, i.issn,
               i.kind,
           case when i.kind ~ '^thesis(:|$)' then i.kind end as thesis,   -- what thesis formats require
           i.set_ids as collections_id, i.marc, i.mods, i.origin,
           case when i.opened then 'open' else i.access end as access,
           case when not i.opened then i.access_from end as access_from, i.fields,
           i.hidden_why$view$
        || (select coalesce(string_agg(format(', i.%I', a.attname), '' order by a.attnum), '')
            from pg_attribute a
            where a.attrelid = 'library.item'::regclass and a.attname ~ '^kept_' and not a.attisdropped)
        || ' from library.item i');
end $define$;
select library.define_record();

-- All sets of items: an array of numbers shows those of its own kind only.
create or replace view oai.dictionary as
    select id, 'collections' as kind, title as name from library.collection
    union all select id, 'kinds', title from library.kind
    union all select id, 'languages', title from library.language;

-- Readers have rights on the view only. In PL/pgSQL, whose plans are kept: to plan a function in SQL anew
-- each time took a third of what GetRecord costs in the database.
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $$;

create or replace view oai.item_row as
    select id, seq, deleted, hidden, set_ids, visible_until, hidden_why from library.item;

create or replace view oai.set_place as select id, 'col:' || name as spec from library.collection
    union all select id, 'type:' || name from library.kind
    union all select id, 'lang:' || name from library.language;

-- 'lang', 'cs' -> 'Czech'; 'type', 'thesis:doctoral' -> 'thesis: doctoral'; a collection keeps its name.
create or replace function library.title_of(tree text, name text) returns text language sql stable as $$
    select case tree
        when 'lang' then coalesce(
            (select c.title from library.language_code c where c.code = title_of.name), name)
        when 'type' then replace(name, ':', ': ')
        else name end
$$;

-- The sets of the languages of an item, in the order of their tags; makes those that are missing. 'cs',
-- 'cs-CZ', 'cze', 'ces' -> cs. Names of languages have none, nor codes that mean no language or several.
create or replace function library.language_ids(given text[]) returns integer[] language plpgsql as $$
begin
    return coalesce((
        select array_agg(coalesce(n.id, oai.name_id('library.language', t.tag)) order by t.tag)
        from (select distinct coalesce(c.tag, l.code) as tag
              from unnest(given) g, lower(substring(g from '^([A-Za-z]{2,3})(?:-[A-Za-z0-9-]*)?$')) l(code)
              left join library.language_code c on c.code = l.code
              where l.code <> all ('{und,mul,zxx,mis}') order by 1) t
        left join library.language n on n.name = t.tag), '{}');
end $$;

-- Derives the sets of an item from its values. What most items have, a known kind and one language by its
-- code, is found by two small queries; calling functions for them took most of the time of an INSERT.
create or replace function library.place_item() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare found_id integer;
begin
    select k.id into new.kind_id from library.kind k where k.name = new.kind;
    if new.kind_id is null then new.kind_id := oai.name_id('library.kind', new.kind); end if;
    new.language_ids := '{}';
    if new.language is not null then
        if cardinality(new.language) = 1 then
            select l.id into found_id from library.language_code c join library.language l on l.name = c.tag
            where c.code = lower(new.language[1] collate "C");
        end if;
        new.language_ids := case when found_id is null then library.language_ids(new.language)
                                 else array[found_id] end;
    end if;
    perform oai.make_set(s) from unnest(new.sets) s order by s;   -- as all do: no two wait for each other
    return new;
end $$;
create or replace trigger place_item before insert on library.item for each row
    when (current_setting('oai.publisher', true) is distinct from 'on') execute function library.place_item();
create or replace trigger refuse_unchecked after insert on library.item for each statement
    when (current_setting('oai.publisher', true) is not distinct from 'on')
    execute function oai.refuse_unchecked();
create or replace trigger place_changed before update of kind, kind_id, language, language_ids, sets
    on library.item for each row execute function library.place_item();

select oai.track_items('library.item');
select oai.track_dates('library.item');
select oai.track_names('library.collection', 'col', 'library.title_of');
select oai.track_names('library.kind', 'type', 'library.title_of');
select oai.track_names('library.language', 'lang', 'library.title_of');

-- Which item is in which collection. Checks for all rows of a statement at once what foreign keys would check
-- row by row. An item that another transaction could still delete is locked until this transaction ends;
-- items that this transaction has written itself, as a loader does, need no lock.
create or replace function library.check_filed() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare
    own     constant xid      := pg_current_xact_id()::xid;
    others  constant bigint[] := array(select distinct c.id_item from changed c
        where not exists (select from library.item i where i.id = c.id_item and i.xmin = own) order by 1);
    missing text;
begin
    perform from library.item i where i.id = any (others) for key share;
    select 'item ' || o into missing from unnest(others) o
    where not exists (select from library.item i where i.id = o)
    union all
    select 'collection ' || c.id_collection from (select distinct id_collection from changed) c
    where not exists (select from library.collection n where n.id = c.id_collection) limit 1;
    if found then
        raise foreign_key_violation using message = 'library.item_collection: there is no ' || missing;
    end if;
    return null;
end $$;
create or replace trigger check_filed after insert on library.item_collection
    referencing new table as changed
    for each statement when (current_setting('oai.publisher', true) is distinct from 'on')
    execute function library.check_filed();
create or replace trigger refuse_unchecked after insert on library.item_collection
    for each statement when (current_setting('oai.publisher', true) is not distinct from 'on')
    execute function oai.refuse_unchecked();
create or replace trigger check_refiled after update on library.item_collection
    referencing new table as changed for each statement execute function library.check_filed();

-- After DELETE, `changed` holds the removed rows. Leaves out items that this transaction has queued before,
-- but for those that an UPDATE has changed.
create or replace function library.queue_filed() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if tg_op = 'UPDATE' then
        insert into oai.queue (id) select w.id_item from was w union select c.id_item from changed c;
    elsif not oai.is_publishing() then
        insert into oai.queue (id)
        select distinct c.id_item from changed c
        where not exists (select from oai.queue q
                          where q.id = c.id_item and q.xmin = pg_current_xact_id()::xid);
    end if;
    return null;
end $$;
create or replace trigger queue_filed after insert on library.item_collection
    referencing new table as changed for each statement execute function library.queue_filed();
create or replace trigger queue_refiled after update on library.item_collection
    referencing old table as was new table as changed
    for each statement execute function library.queue_filed();
create or replace trigger queue_unfiled after delete on library.item_collection
    referencing old table as changed for each statement execute function library.queue_filed();
create or replace trigger refuse_truncate before truncate on library.item_collection
    for each statement execute function oai.refuse_truncate();
select oai.remove_with('remove_filing', 'library.item_collection', 'id_item', 'library.item');
