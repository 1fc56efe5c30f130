// SPDX-License-Identifier: MIT
#include "load/item_queries.h"

namespace oai::load::queries {

const pg::Statement kLibrary{"load_library", "select to_regclass('library.item') is not null"};

const pg::Statement kItemStaging{"load_item_staging", R"(
    create temporary table load_item (
        local_id text collate "C", datestamp timestamptz, deleted boolean, collections text[], all_collections boolean,
        kind text, title text[], title_lang text[], creator text[], creator_lang text[], subject text[],
        subject_lang text[], description text[], description_lang text[], publisher text[],
        publisher_lang text[], contributor text[], contributor_lang text[], date text[], type text[],
        type_lang text[], format text[], identifier text[], source text[], source_lang text[], language text[],
        relation text[], relation_lang text[], coverage text[], coverage_lang text[], rights text[],
        rights_lang text[], doi text, urn text, landing_page text, licence text, year integer, isbn text[],
        issn text[], marc xml, mods xml, origin xml, all_payloads boolean,
        id bigint, fresh boolean not null default false, changed boolean not null default false
    ) on commit delete rows)"};

const pg::Statement kItemCopy{"load_item_copy", R"(
    copy load_item (local_id, datestamp, deleted, collections, all_collections,
        kind, title, title_lang, creator, creator_lang, subject, subject_lang, description, description_lang,
        publisher, publisher_lang, contributor, contributor_lang, date, type, type_lang, format, identifier,
        source, source_lang, language, relation, relation_lang, coverage, coverage_lang, rights, rights_lang,
        doi, urn, landing_page, licence, year, isbn, issn, marc, mods, origin, all_payloads)
    from stdin)"};

const pg::Statement kItemAnalyze{"load_item_analyze", "analyze load_item"};

const pg::Statement kItemMatch{"load_item_match", R"(
    update load_item s set id = i.id from library.item i where i.local_id = s.local_id and s.id is null)"};

// The datestamp counts in the first fill only: the publisher sees to that.
const pg::Statement kItemInsert{"load_item_insert", R"(
    with added as (
        insert into library.item (local_id, datestamp, deleted,
            kind, title, title_lang, creator, creator_lang, subject, subject_lang, description,
            description_lang, publisher, publisher_lang, contributor, contributor_lang, date, type, type_lang,
            format, identifier, source, source_lang, language, relation, relation_lang, coverage, coverage_lang,
            rights, rights_lang, doi, urn, landing_page, licence, year, isbn, issn, marc, mods, origin)
        select local_id, datestamp, coalesce(deleted, false),
            kind, title, title_lang, creator, creator_lang, subject, subject_lang, description,
            description_lang, publisher, publisher_lang, contributor, contributor_lang, date, type, type_lang,
            format, identifier, source, source_lang, language, relation, relation_lang, coverage, coverage_lang,
            rights, rights_lang, doi, urn, landing_page, licence, year, isbn, issn, marc, mods, origin
        from load_item where id is null order by local_id
        on conflict (local_id) do nothing
        returning id, local_id)
    update load_item s set id = added.id, fresh = true from added where added.local_id = s.local_id)"};

// What is deleted here stays so unless the file says that it is not. xml has no equality. A new origin alone is no change:
// the item is what it was.
const pg::Statement kItemUpdate{"load_item_update", R"(
    with updated as (
        update library.item i
        set kind = s.kind, title = s.title, title_lang = s.title_lang, creator = s.creator,
            creator_lang = s.creator_lang, subject = s.subject, subject_lang = s.subject_lang,
            description = s.description, description_lang = s.description_lang, publisher = s.publisher,
            publisher_lang = s.publisher_lang, contributor = s.contributor,
            contributor_lang = s.contributor_lang, date = s.date, type = s.type, type_lang = s.type_lang,
            format = s.format, identifier = s.identifier, source = s.source, source_lang = s.source_lang,
            language = s.language, relation = s.relation, relation_lang = s.relation_lang,
            coverage = s.coverage, coverage_lang = s.coverage_lang, rights = s.rights,
            rights_lang = s.rights_lang, doi = s.doi, urn = s.urn, landing_page = s.landing_page,
            licence = s.licence, year = s.year, isbn = s.isbn, issn = s.issn,
            marc = case when s.all_payloads then s.marc else i.marc end,
            mods = case when s.all_payloads then s.mods else i.mods end,
            origin = library.with_origin(i.origin, s.origin, 'http://www.openarchives.org/OAI/2.0/oai_dc/'),
            deleted = coalesce(s.deleted, i.deleted)
        from load_item s
        where i.id = s.id and not s.fresh and s.deleted is distinct from true and (not i.deleted or not s.deleted)
          and (i.kind, i.title, i.title_lang, i.creator, i.creator_lang, i.subject, i.subject_lang,
               i.description, i.description_lang, i.publisher, i.publisher_lang, i.contributor,
               i.contributor_lang, i.date, i.type, i.type_lang, i.format, i.identifier, i.source, i.source_lang,
               i.language, i.relation, i.relation_lang, i.coverage, i.coverage_lang, i.rights, i.rights_lang,
               i.doi, i.urn, i.landing_page, i.licence, i.year, i.isbn, i.issn, i.marc::text, i.mods::text,
               i.deleted)
              is distinct from
              (s.kind, s.title, s.title_lang, s.creator, s.creator_lang, s.subject, s.subject_lang,
               s.description, s.description_lang, s.publisher, s.publisher_lang, s.contributor,
               s.contributor_lang, s.date, s.type, s.type_lang, s.format, s.identifier, s.source, s.source_lang,
               s.language, s.relation, s.relation_lang, s.coverage, s.coverage_lang, s.rights, s.rights_lang,
               s.doi, s.urn, s.landing_page, s.licence, s.year, s.isbn, s.issn,
               case when s.all_payloads then s.marc::text else i.marc::text end,
               case when s.all_payloads then s.mods::text else i.mods::text end,
               coalesce(s.deleted, i.deleted))
        returning i.id)
    update load_item s set changed = true where s.id in (select id from updated))"};

const pg::Statement kItemDelete{"load_item_delete", R"(
    with gone as (
        update library.item i set deleted = true
        from load_item s where i.id = s.id and not s.fresh and s.deleted and not i.deleted
        returning i.id)
    update load_item s set changed = true where s.id in (select id from gone))"};

const pg::Statement kItemCollections{"load_item_collections", R"(
    insert into library.collection (name)
    select distinct c from load_item s, unnest(s.collections) c
    where not exists (select from library.collection k where k.name = c)
    order by 1
    on conflict (name) do nothing)"};

const pg::Statement kItemUnfile{"load_item_unfile", R"(
    with unfiled as (
        delete from library.item_collection f using load_item s, library.collection k, library.item i
        where s.all_collections and f.id_item = s.id and k.id = f.id_collection and k.name <> all (s.collections)
          and i.id = s.id and not i.deleted
        returning f.id_item)
    update load_item s set changed = true where s.id in (select id_item from unfiled))"};

const pg::Statement kItemFile{"load_item_file", R"(
    with filed as (
        insert into library.item_collection (id_item, id_collection)
        select distinct s.id, k.id
        from load_item s cross join unnest(s.collections) c join library.collection k on k.name = c
        where s.fresh or exists (select from library.item i where i.id = s.id and not i.deleted)
        order by 1, 2
        on conflict do nothing
        returning id_item)
    update load_item s set changed = true where s.id in (select id_item from filed))"};

const pg::Statement kItemCount{"load_item_count", R"(
    select count(*) filter (where s.fresh), count(*) filter (where s.changed and not s.fresh),
           count(*) filter (where i.deleted and s.deleted is null)
    from load_item s join library.item i on i.id = s.id)"};

}  // namespace oai::load::queries
