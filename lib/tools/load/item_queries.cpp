// SPDX-License-Identifier: MIT
#include "tools/load/item_queries.h"

#include "pg/binary.h"

namespace oai::load::queries {
namespace {

// Of library.item, and in the same order of load_item.
constexpr char kContent[] =
    "kind, title, title_lang, creator, creator_lang, subject, subject_lang, description, "
    "description_lang, publisher, publisher_lang, contributor, contributor_lang, date, type, "
    "type_lang, format, identifier, source, source_lang, language, relation, relation_lang, "
    "coverage, coverage_lang, rights, rights_lang, doi, urn, landing_page, licence, year, isbn, "
    "issn, marc, mods, origin";

constexpr char kCopied[] =
    "copy load_item (local_id, datestamp, deleted, collection_ids, all_collections, ";
constexpr auto kCopyNewText = pg::joined(kCopied, kContent, ", all_payloads) from stdin");
constexpr auto kCopyKnownText =
    pg::joined(kCopied, kContent, ", all_payloads, id, fresh) from stdin");

constexpr auto kFillText =
    pg::joined("copy library.item (id, seq, datestamp, set_ids, kind_id, language_ids, local_id, ",
               kContent, ") from stdin");

constexpr auto kInsertText =
    pg::joined("insert into library.item (id, local_id, datestamp, deleted, ", kContent,
               ") select id, local_id, datestamp, coalesce(deleted, false), ", kContent,
               " from load_item where fresh order by local_id on conflict (local_id) do nothing");

}  // namespace

const pg::Statement kLibrary{"load_library", "select to_regclass('library.item') is not null"};

const pg::Statement kItemStaging{"load_item_staging", "select library.make_staging()"};

const pg::Statement kItemKnown{"load_item_known", R"(
    select local_id, id from library.item where local_id = any ($1::text[]))"};

const pg::Statement kItemCopyNew{"load_item_copy_new", kCopyNewText.data()};
const pg::Statement kItemCopyKnown{"load_item_copy_known", kCopyKnownText.data()};

const pg::Statement kItemAnalyze{"load_item_analyze", "select library.analyze_staged()"};

// The datestamp counts in the first fill only: the publisher sees to that.
const pg::Statement kItemInsert{"load_item_insert", kInsertText.data()};

const pg::Statement kItemRematch{"load_item_rematch", R"(
    update load_item s set id = i.id, fresh = false
    from library.item i where s.fresh and i.local_id = s.local_id and i.id <> s.id)"};

// What is deleted here stays deleted unless the file says that it exists. xml has no equality, so
// it is compared as text. A new origin alone is no change: the item is what it was.
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

const NameTable kItemCollections{
    {"load_item_collections",
     "select name, id from library.collection where name = any ($1::text[])"},
    {"load_item_add_collections", R"(
        insert into library.collection (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};

const pg::Statement kItemFile{"load_item_file", R"(
    insert into library.item_collection (id_item, id_collection)
    select s.id, c from load_item s, unnest(s.collection_ids) c where s.fresh order by 1, 2)"};

// Both arrays are in ascending order, so that one comparison finds the items that are filed as they
// should be. A deleted item keeps its sets.
const pg::Statement kItemRefile{"load_item_refile", R"(
    with other as materialized (
        select s.id, s.all_collections, s.collection_ids as wanted, f.filed
        from load_item s
        join library.item i on i.id = s.id
        cross join lateral (
            select array(select c.id_collection from library.item_collection c where c.id_item = s.id order by 1) as filed) f
        where not s.fresh and not i.deleted
          and case when s.all_collections then f.filed <> s.collection_ids else not f.filed @> s.collection_ids end),
    unfiled as (
        delete from library.item_collection c using other o
        where o.all_collections and c.id_item = o.id and c.id_collection <> all (o.wanted)
        returning c.id_item),
    filed as (
        insert into library.item_collection (id_item, id_collection)
        select o.id, w from other o, unnest(o.wanted) w where w <> all (o.filed) order by 1, 2
        on conflict do nothing
        returning id_item)
    update load_item s set changed = true
    where s.id in (select id_item from unfiled union all select id_item from filed))"};

const pg::Statement kItemCount{"load_item_count", R"(
    select count(*) filter (where s.changed), count(*) filter (where i.deleted and s.deleted is null)
    from load_item s join library.item i on i.id = s.id
    where not s.fresh)"};

const pg::Statement kItemNumbered{"load_item_numbered", "select h is not null from oai.horizon"};

const pg::Statement kItemAddSets{"load_item_add_sets", R"(
    select library.kind_id(k) from unnest($1::text[]) k
    union all
    select cardinality(library.language_ids(array[l])) from unnest($2::text[]) l)"};

const pg::Statement kItemPrepare{"load_item_prepare", "select library.prepare_slice()"};
const pg::Statement kItemPublish{"load_item_publish",
                                 "select turn, milliseconds from library.publish_slice()", true};

// Once the tables are taken nothing is given up for somebody else's lock.
const pg::Statement kItemFillBegin{"item_fill_begin", R"(
    select extract(epoch from t)::bigint, first_id, set_config('lock_timeout', '0', true)
    from library.begin_fill())"};
const pg::Statement kItemFillKind{"item_fill_kind", "select library.kind_id($1::text)", true};
const pg::Statement kItemFillLanguages{"item_fill_languages",
                                       "select library.language_ids($1::text[])", true};
const pg::Statement kItemFillSets{"item_fill_sets",
                                  "select id, path from oai.set where id = any ($1::integer[])"};
const pg::Statement kItemFillCopy{"item_fill_copy", kFillText.data()};
const pg::Statement kItemFillFile{
    "item_fill_file", "copy library.item_collection (id_item, id_collection) from stdin"};
const pg::Statement kItemFillChunks{"item_fill_chunks",
                                    "copy oai.set_chunk (set_id, first_seq, seqs) from stdin"};
const pg::Statement kItemFillEnd{"item_fill_end", R"(
    select library.end_fill($1::bigint, $2::bigint, to_timestamp($3::bigint), $4::integer[], $5::bigint[]))"};

}  // namespace oai::load::queries
