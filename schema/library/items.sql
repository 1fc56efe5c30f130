-- SPDX-License-Identifier: MIT
-- Model library: bibliographic items, each described by the fifteen elements of Dublin Core and, where there
-- is one, by its MARCXML or MODS record. What schema oai asks of a model (core/roles.sql), and the triggers
-- of the tables, which any program may write.

create or replace view oai.item as
    select id, seq, local_id, datestamp, deleted or hidden as deleted, set_ids from library.item;

create or replace view oai.membership as
    select i.id, i.seq, i.local_id, i.datestamp,
           case when i.seq is not null or not i.hidden then i.deleted or i.hidden end as deleted, i.set_ids,
           array_remove(array[i.kind_id], null) || i.language_ids
           || array(select c.id_collection from library.item_collection c where c.id_item = i.id
                    order by 1)
           || case when i.sets is null then '{}'
                   else array(select s.id from oai.set s where s.spec = any (i.sets) order by 1) end
               as sets_now
    from library.item i;

-- Collections are given by number only: a page would otherwise look them up. set_ids holds other sets, too.
create or replace view oai.record as
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
           case when not i.opened then i.access_from end as access_from, i.fields, i.hidden_why
    from library.item i;

-- All sets of items: an array of numbers shows those of its own kind only.
create or replace view oai.dictionary as
    select id, 'collections' as kind, title as name from library.collection
    union all select id, 'kinds', title from library.kind
    union all select id, 'languages', title from library.language;

-- Reads the view, because readers have rights on the view only. In PL/pgSQL, whose plans are kept: PostgreSQL
-- plans the statement of a function in SQL that reads a table anew each time, which took a third of what
-- GetRecord costs in the database.
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $$;

create or replace view oai.item_row as
    select id, seq, deleted, hidden, set_ids, visible_until, hidden_why from library.item;

create or replace view oai.set_place as
    select id, 'col:' || name as spec from library.collection
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

-- 'cs', 'cs-CZ', 'cze', 'ces' -> 'cs'. Null for names of languages, and for the codes that mean no language
-- or several (und, mul, zxx, mis).
create or replace function library.language_tag(value text) returns text
language plpgsql stable as $$   -- plans are kept
declare
    given text := lower(substring(value from '^([A-Za-z]{2,3})(?:-[A-Za-z0-9-]*)?$'));
    known text;
begin
    if given in ('und', 'mul', 'zxx', 'mis') then return null; end if;
    select c.tag into known from library.language_code c where c.code = given;
    return coalesce(known, given);
end $$;

create or replace function library.kind_id(name text) returns integer language plpgsql strict as $$
declare found_id integer;
begin
    select k.id into found_id from library.kind k where k.name = kind_id.name;
    if not found then
        insert into library.kind (name) values (kind_id.name) on conflict do nothing;
        select k.id into found_id from library.kind k where k.name = kind_id.name;
    end if;
    return found_id;
end $$;

create or replace function library.language_id(tag text) returns integer language plpgsql strict as $$
declare found_id integer;
begin
    select l.id into found_id from library.language l where l.name = tag;
    if not found then
        insert into library.language (name) values (tag) on conflict do nothing;
        select l.id into found_id from library.language l where l.name = tag;
    end if;
    return found_id;
end $$;

-- The sets of the languages of an item, in the order of their tags; makes those that are missing.
create or replace function library.language_ids(given text[]) returns integer[] language plpgsql as $$
begin
    return coalesce((select array_agg(library.language_id(t.tag) order by t.tag)
                     from (select distinct library.language_tag(l) as tag from unnest(given) l) t
                     where t.tag is not null), '{}');
end $$;

-- A set by its setSpec, and those above it; makes what is missing.
create or replace function library.own_set(wanted text) returns integer language plpgsql strict as $$
declare found_id integer;
begin
    select s.id into found_id from oai.set s where s.spec = wanted;
    if not found then
        insert into oai.set (parent, spec, name)
        values (library.own_set(nullif(regexp_replace(wanted, ':?[^:]*$', ''), '')), wanted,
                regexp_replace(wanted, '^.*:', '')) on conflict (spec) do nothing;
        select s.id into found_id from oai.set s where s.spec = wanted;
    end if;
    return found_id;
end $$;

-- Derives the sets of kind and language from the values of the item, so that writers need not know about
-- these sets. What most items have, a known kind and one language by its code, is found by two small queries;
-- calling functions for them took most of the time of an INSERT.
create or replace function library.place_item() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare found_id integer;
begin
    new.kind_id := null;
    if new.kind is not null then
        select k.id into new.kind_id from library.kind k where k.name = new.kind;
        if new.kind_id is null then new.kind_id := library.kind_id(new.kind); end if;
    end if;
    new.language_ids := '{}';
    if new.language is not null then
        if cardinality(new.language) = 1 then
            select l.id into found_id from library.language_code c join library.language l on l.name = c.tag
            where c.code = lower(new.language[1] collate "C");
        end if;
        new.language_ids := case when found_id is null then library.language_ids(new.language)
                                 else array[found_id] end;
    end if;
    perform library.own_set(s) from unnest(new.sets) s order by s;   -- as all do: no two wait for each other
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
select oai.track_filing('library.item_collection', 'library.item', 'library.collection');
select oai.track_names('library.collection', 'col', 'library.title_of');
select oai.track_names('library.kind', 'type', 'library.title_of');
select oai.track_names('library.language', 'lang', 'library.title_of');
