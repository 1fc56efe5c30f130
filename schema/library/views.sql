-- SPDX-License-Identifier: MIT

-- The contract (001-contract.sql).
create or replace view oai.item as
    select id, seq, local_id, datestamp, deleted, set_ids from library.item;

create or replace view oai.membership as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids,
           array_remove(array[i.kind_id], null) || i.language_ids
           || array(select c.id_collection from library.item_collection c where c.id_item = i.id
                    order by 1) as sets_now
    from library.item i;

-- Names of collections by number only: a page would else have to look them up. set_ids holds other sets among
-- them.
create or replace view oai.record as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids,
           i.title, i.title_lang, i.creator, i.creator_lang, i.subject, i.subject_lang, i.description,
               i.description_lang,
           i.publisher, i.publisher_lang, i.contributor, i.contributor_lang, i.date, i.type, i.type_lang,
               i.format,
           i.identifier, i.source, i.source_lang, i.language, i.relation, i.relation_lang, i.coverage,
               i.coverage_lang,
           i.rights, i.rights_lang, i.doi, i.urn, i.landing_page, i.licence, lpad(i.year::text, 4,
               '0') as year, i.isbn, i.issn, i.kind,
           case when i.kind ~ '^thesis(:|$)' then i.kind end as thesis,   -- what thesis formats require
           i.set_ids as collections_id, i.marc, i.mods, i.origin
    from library.item i;

-- All sets of items: an array of numbers shows those of its own kind only.
create or replace view oai.dictionary as
    select id, 'collections' as kind, title as name from library.collection
    union all select id, 'kinds', title from library.kind
    union all select id, 'languages', title from library.language;

-- Reads the view, because readers have rights on the view only. oai.find_item() as in 201-library.sql, but
-- with a plan that is kept: PostgreSQL plans the statement of a function in SQL that reads a table anew each
-- time, which took a third of what GetRecord costs in the database.
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $$;

-- The functions that 005-deletion.sql requires of a model.
create or replace function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql as $$
    update library.item set deleted = mark where id = any (ids) and deleted <> mark returning id
$$;

create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $$
    delete from library.item where id = any (ids) and deleted
$$;

-- What the setSpecs of named sets must be, for oai.check_sets().
create or replace view oai.set_place as
    select id, 'col:' || name as spec from library.collection
    union all select id, 'type:' || name from library.kind
    union all select id, 'lang:' || name from library.language;
