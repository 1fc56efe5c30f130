// SPDX-License-Identifier: MIT
// Every SQL statement of the loaders of captures and of items and of the first fill, named, once.
// All but those of the fill, and those that look for a model or make a session, run within the
// transaction of a slice.
#pragma once

#include <array>
#include <string_view>

#include "pg/connection.h"
#include "pg/copy_writer.h"
#include "tools/load/item.h"

namespace oai::load {
// The values of a statement, in their order.
template <class... Values>
pg::Parameters parameters(const Values&... values) {
    pg::Parameters all;
    (all.add(values), ...);
    return all;
}
}  // namespace oai::load

namespace oai::load::queries {

// -> one row: is the model webarchiv there?
inline constexpr pg::Statement kModel{"load_model",
                                      "select to_regclass('webarchiv.doc') is not null"};
// Settings of the connection; shared. Statements of a slice are too short for JIT to pay off.
// (enable_seqscan and the like stay on: the cost of 1e10 that "off" adds to the staging table's
// only path hides all other costs from the planner.)
inline constexpr pg::Statement kSession{"load_session", R"(
    select set_config('jit', 'off', false), set_config('work_mem', '64MB', false))"};
// Makes the temporary table load_capture, emptied by a commit.
inline constexpr pg::Statement kStaging{"load_staging", "select webarchiv.make_staging()"};

// Shared.
inline constexpr pg::Statement kBegin{"load_begin", "begin"};
inline constexpr pg::Statement kCommit{"load_commit", "commit"};
// Shared; waits until no other loader is within a slice.
// One lock for all loaders. Slices that are left to the publisher are written one after the other,
// so that they can neither deadlock nor insert the same capture twice. Those that publish
// themselves find out by the numbers what others have published meanwhile.
inline constexpr pg::Statement kOneLoader{
    "load_one_loader", "select pg_advisory_xact_lock(hashtextextended('oai load', 0))"};
// Waits until no loader is within a slice of kOneLoader.
inline constexpr pg::Statement kLoaders{
    "load_loaders", "select pg_advisory_xact_lock_shared(hashtextextended('oai load', 0))"};
// -> one row: has the first numbering begun?
inline constexpr pg::Statement kBegun{
    "load_begun", "select h is not null or filling is not null from oai.horizon"};

// $1: text[] of names. find -> name, id; add inserts those that are missing, with their ancestors.
struct NameTable {
    pg::Statement find, add;
};
inline constexpr NameTable kArcs{
    {"load_arcs", "select file, id from webarchiv.arc where file = any ($1::text[])"},
    {"load_add_arcs", R"(
        insert into webarchiv.arc (file) select f from unnest($1::text[]) f order by f on conflict (file) do nothing)"}};
inline constexpr NameTable kDomains{
    {"load_domains", "select name, id from webarchiv.domain where name = any ($1::text[])"},
    {"load_add_domains", R"(
        insert into webarchiv.domain (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
inline constexpr NameTable kMimetypes{
    {"load_mimetypes", "select name, id from webarchiv.mimetype where name = any ($1::text[])"},
    {"load_add_mimetypes", R"(
        insert into webarchiv.mimetype (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
inline constexpr NameTable kCollections{
    {"load_collections", "select name, id from webarchiv.collection where name = any ($1::text[])"},
    {"load_add_collections", R"(
        insert into webarchiv.collection (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};

inline constexpr pg::Statement kCopy{"load_copy", R"(
    copy load_capture (url, surt, archived_time, status, digest, length, doc_offset, id_arc, id_domain, id_mimetype,
                       request, revisit, title, language, description)
    from stdin)"};
// So that plans know how much was staged.
inline constexpr pg::Statement kAnalyze{"load_analyze", "select webarchiv.analyze_staged()"};
// Sets load_capture.id to the doc that is the same capture; affected(): how many there are.
// The same capture has the same SURT, time and digest; where one side has no digest, the same place
// in the archive instead of it.
inline constexpr pg::Statement kMatch{"load_match", R"(
    update load_capture s set id = m.id, fresh = false
    from (select c.id as own, d.id
          from load_capture c
          cross join lateral (
              select d.id from webarchiv.doc d
              where d.surt = c.surt and d.archived_time = c.archived_time
                and (d.digest = c.digest
                     or ((d.digest is null or c.digest is null)
                         and d.id_arc is not distinct from c.id_arc
                         and d.doc_offset is not distinct from c.doc_offset))
              order by d.digest is null, d.id limit 1) d) m
    where s.id = m.own)"};
// Fills in what such docs lack.
// Fills in only what is missing, so that the result does not depend on the order in which an index
// and its archive are loaded, nor on how often. File, offset and length belong together. A doc
// without a digest stays without a place if it has none, since that is part of its identity.
inline constexpr pg::Statement kFill{"load_fill", R"(
    with better as (
        select distinct on (o.id) o.id,
               coalesce(o.id_arc, case when p.fits then s.id_arc end) as id_arc,
               coalesce(o.doc_offset, case when p.fits then s.doc_offset end) as doc_offset,
               coalesce(o.length, case when p.fits then s.length end) as length,
               coalesce(o.id_domain, s.id_domain) as id_domain,
               coalesce(o.id_mimetype, s.id_mimetype) as id_mimetype,
               coalesce(o.status, s.status) as status,
               coalesce(o.digest, s.digest) as digest,
               coalesce(o.request, s.request) as request, o.revisit or s.revisit as revisit,
               coalesce(o.title, s.title) as title,
               coalesce(o.language, s.language) as language,
               coalesce(o.description, s.description) as description
        from load_capture s
        cross join lateral (select * from webarchiv.doc d where d.id = s.id and not d.deleted offset 0) o
        cross join lateral (
            select (o.id_arc is null or o.id_arc = s.id_arc)
                   and (o.doc_offset is null or o.doc_offset = s.doc_offset)
                   and coalesce(o.digest, s.digest) is not null as fits) p
        where not s.fresh),
    filled as (
        update webarchiv.doc d
        set id_arc = b.id_arc, doc_offset = b.doc_offset, length = b.length, id_domain = b.id_domain,
            id_mimetype = b.id_mimetype, status = b.status, digest = b.digest,
            request = b.request, revisit = b.revisit, title = b.title, language = b.language,
            description = b.description
        from better b
        where d.id = b.id
          and (d.id_arc, d.doc_offset, d.length, d.id_domain, d.id_mimetype, d.status, d.digest, d.request,
               d.revisit, d.title, d.language, d.description)
              is distinct from
              (b.id_arc, b.doc_offset, b.length, b.id_domain, b.id_mimetype, b.status, b.digest, b.request,
               b.revisit, b.title, b.language, b.description)
        returning d.id)
    update load_capture s set changed = true where s.id in (select id from filled))"};
// $1: does the capture's time become the datestamp? affected(): rows.
inline constexpr pg::Statement kInsert{"load_insert", R"(
    insert into webarchiv.doc (id, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
                               url, surt, digest, request, revisit, title, language, description)
    select id, case when $1::boolean then archived_time end, archived_time, doc_offset, length, id_arc, id_domain,
           id_mimetype, status, url, surt, digest, request, revisit, title, language, description
    from load_capture where fresh order by surt, archived_time, digest
    on conflict do nothing)"};
// Matches rows again that other programs have inserted. -> one row: how many have the id of another
// capture, and were not inserted for that reason.
// By the indexes for whose sake kInsert has left rows out.
inline constexpr pg::Statement kRematch{"load_rematch", R"(
    with rematched as (
        update load_capture s set fresh = false,
            id = coalesce((select d.id from webarchiv.doc d
                           where d.surt = s.surt and d.archived_time = s.archived_time
                             and right(d.digest, 7) = right(s.digest, 7)),
                          (select d.id from webarchiv.doc d
                           where d.digest is null and s.digest is null and d.id_arc = s.id_arc
                             and d.doc_offset = s.doc_offset))
        where fresh and not exists (select from webarchiv.doc d
                                    where d.id = s.id and d.surt = s.surt and d.archived_time = s.archived_time
                                      and d.digest is not distinct from s.digest)
        returning s.id)
    select count(*) filter (where id is null) from rematched)"};
// For the administrator: ids then go on behind those that there are.
inline constexpr char kSetSequence[] = "select setval('{0}_id_seq', (select max(id) from {0}))";
// $1: int[] of collections, to file the docs in; $2: only those that are not new?
inline constexpr pg::Statement kFile{
    "load_file", "select webarchiv.file_staged($1::integer[], not $2::boolean)"};
// -> one row: inserted, updated
inline constexpr pg::Statement kCount{"load_count", R"(
    select count(*) filter (where fresh), count(distinct id) filter (where changed and not fresh) from load_capture)"};

// schema/webarchiv/loading.sql. $1: int[] of collections. -> one row: how many docs are new
inline constexpr pg::Statement kPrepare{"load_prepare",
                                        "select webarchiv.prepare_slice($1::integer[])"};
// -> one row: turn, null once published; milliseconds
inline constexpr pg::Statement kPublish{
    "load_publish", "select turn, milliseconds from oai.publish_loaded()", true};

// The first fill of model webarchiv (schema/webarchiv/fill.sql).

inline constexpr pg::Statement kFillTry{
    "fill_try", "select pg_try_advisory_lock(hashtextextended('oai load fill', 0))"};
inline constexpr pg::Statement kFillWait{
    "fill_wait", "select pg_advisory_lock(hashtextextended('oai load fill', 0))"};
inline constexpr pg::Statement kFillLeave{
    "fill_leave", "select pg_advisory_unlock(hashtextextended('oai load fill', 0))"};
// -> is the repository empty? files and captures that were read before; were some lost?
// $1: captured datestamps?
inline constexpr pg::Statement kFillBegin{"fill_begin",
                                          "select * from webarchiv.begin_fill($1::boolean)"};

// $1 path, $2 bytes -> the captures of that file, if it was read before.
inline constexpr pg::Statement kFillKnown{
    "fill_known",
    "select captures from webarchiv.fill_file where path = $1::text and bytes = $2::bigint"};
inline constexpr pg::Statement kFillCopy{
    "fill_copy", "copy webarchiv.fill_block (bucket, captures, rows) from stdin"};
// $1 path, $2 bytes, $3 captures, $4 captured datestamps?
inline constexpr pg::Statement kFillFile{
    "fill_file",
    "insert into webarchiv.fill_file values ($1::text, $2::bigint, $3::bigint, $4::boolean) on "
    "conflict (path) do update set bytes = excluded.bytes"};

// -> the buckets in their order, the captures of each, and their bytes.
inline constexpr pg::Statement kFillBuckets{"fill_buckets",
                                            "select bucket, sum(captures)::bigint, "
                                            "sum(octet_length(rows))::bigint from "
                                            "webarchiv.fill_block group by bucket order by bucket"};
// $1 bucket, $2 the last block that was read of it -> blocks that follow, in the order of reading.
inline constexpr pg::Statement kFillBlocks{
    "fill_blocks",
    "select n, rows from webarchiv.fill_block where bucket = $1::integer and n > $2::bigint "
    "order by n limit 256",
    true};

// -> id, path, of all sets.
inline constexpr pg::Statement kFillSets{"fill_sets", "select id, path from oai.set"};
// $1: captured datestamps? -> the datestamp of the fill, as seconds; first id
inline constexpr pg::Statement kFillOpen{
    "fill_open",
    "select extract(epoch from t)::bigint, first_id from webarchiv.begin_writing($1::boolean)"};
inline constexpr pg::Statement kFillDocs{"fill_docs", R"(
    copy webarchiv.doc (id, seq, datestamp, archived_time, status, digest, length, doc_offset, id_arc, id_domain, id_mimetype, url,
                        surt, request, revisit, title, language, description, set_ids)
    from stdin with (freeze))"};
inline constexpr pg::Statement kFillChunks{
    "fill_chunks", "copy oai.set_chunk (set_id, first_seq, seqs) from stdin with (freeze)"};
inline constexpr pg::Statement kFillCalendar{"fill_calendar",
                                             "copy oai.calendar (datestamp, before) from stdin"};
// $1 records, $2 first id, $3 datestamp in seconds, $4 captured?, $5 sets, $6 their sizes.
inline constexpr pg::Statement kFillEnd{"fill_end", R"(
    select webarchiv.end_fill($1::bigint, $2::bigint, to_timestamp($3::bigint), $4::boolean, $5::integer[], $6::bigint[]))"};

// The loader of items.

// The names of the columns of content, in the order of add_content().
consteval auto list_content() {
    std::array<char, 512> list{};
    std::size_t end = 0;
    const auto add = [&](std::string_view name, std::string_view suffix = "") {
        for (const std::string_view text : {std::string_view(end == 0 ? "" : ", "), name, suffix})
            for (const char c : text) list[end++] = c;
    };
    for (const ElementName& element : kElementNames) {
        add(element.name);
        if (element.has_language) add(element.name, "_lang");
    }
    for (const auto& column : kTextColumns) add(column.name);
    for (const auto& column : kListColumns) add(column.name);
    for (const auto& column : kNumberColumns) add(column.name);
    return list;
}

inline constexpr auto kContent = list_content();
inline constexpr auto kStagingText = pg::joined("select library.make_staging('{", kContent, "}')");
inline constexpr auto kCopied =
    pg::joined("copy load_item (local_id, datestamp, deleted, collection_ids, all_collections, ",
               kContent, ", all_payloads");
inline constexpr auto kCopyNewText = pg::joined(kCopied, ") from stdin");
inline constexpr auto kCopyKnownText = pg::joined(kCopied, ", id, fresh) from stdin");
// -> one row: is the model library there?
inline constexpr pg::Statement kLibrary{"load_library",
                                        "select to_regclass('library.item') is not null"};
// Makes the temporary table load_item, emptied by a commit.
inline constexpr pg::Statement kItemStaging{"load_item_staging", kStagingText.data()};
// To be run in this order, between kBegin, kOneLoader and kCommit.
// $1: local_ids -> local_id, id of those that are items
inline constexpr pg::Statement kItemKnown{"load_item_known", R"(
    select i.local_id, i.id, exists (select from library.mapped d join library.mapping m on m.id = d.mapping
                                     where d.id = i.id and m.source is not null)
    from library.item i where i.local_id = any ($1::text[]))"};
// COPY of local_id, datestamp, deleted, collection_ids in ascending order, all_collections,
// content, all_payloads; of those that are known, then id, fresh (f).
inline constexpr pg::Statement kItemCopyNew{"load_item_copy_new", kCopyNewText.data()};
inline constexpr pg::Statement kItemCopyKnown{"load_item_copy_known", kCopyKnownText.data()};
// So that plans know how much was staged.
inline constexpr pg::Statement kItemAnalyze{"load_item_analyze", "select library.analyze_staged()"};
// For fresh items, those that have no id yet. -> one row: how many
inline constexpr pg::Statement kItemInsert{"load_item_insert", "select library.insert_staged()"};
// Matches items again that other programs have inserted.
inline constexpr pg::Statement kItemRematch{"load_item_rematch", R"(
    update load_item s set id = i.id, fresh = false
    from library.item i where s.fresh and i.local_id = s.local_id and i.id <> s.id)"};
// For the others: updates the content of those that differ.
inline constexpr pg::Statement kItemUpdate{"load_item_update", "select library.update_staged()"};
// Deletes those that the file calls deleted.
inline constexpr pg::Statement kItemDelete{"load_item_delete", R"(
    with gone as (
        update library.item i set deleted = true
        from load_item s where i.id = s.id and not s.fresh and s.deleted and not i.deleted
        returning i.id)
    update load_item s set changed = true where s.id in (select id from gone))"};
inline constexpr NameTable kItemCollections{
    {"load_item_collections",
     "select name, id from library.collection where name = any ($1::text[])"},
    {"load_item_add_collections", R"(
        insert into library.collection (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
// Files them in their collections.
inline constexpr pg::Statement kItemFile{"load_item_file", R"(
    insert into library.item_collection (id_item, id_collection)
    select s.id, c from load_item s, unnest(s.collection_ids) c where s.fresh order by 1, 2)"};
// Files them in their collections, and removes them from others where all_collections is set.
// Both arrays are in ascending order, so that one comparison finds the items that are filed as they
// should be. A deleted item keeps its sets.
inline constexpr pg::Statement kItemRefile{"load_item_refile", R"(
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
// -> one row: updated, left deleted
inline constexpr pg::Statement kItemCount{"load_item_count", R"(
    select count(*) filter (where s.changed), count(*) filter (where i.deleted and s.deleted is null)
    from load_item s join library.item i on i.id = s.id
    where not s.fresh)"};
// -> one row: has the first numbering ended?
inline constexpr pg::Statement kItemNumbered{"load_item_numbered",
                                             "select h is not null from oai.horizon"};
// $1, $2: text[] of kinds and of values of dc:language. Makes the sets of those that have none.
inline constexpr pg::Statement kItemAddSets{"load_item_add_sets", R"(
    select oai.name_id('library.kind', k) from unnest($1::text[]) k
    union all
    select cardinality(library.language_ids(array[l])) from unnest($2::text[]) l)"};
// schema/library/loading.sql: for a slice of fresh items that publishes itself, instead of all the
// above between kItemAnalyze and kCommit. -> one row: how many items are new
inline constexpr pg::Statement kItemPrepare{"load_item_prepare", "select library.prepare_slice()"};
// -> one row: turn, null once published; milliseconds
inline constexpr pg::Statement kItemPublish{
    "load_item_publish", "select turn, milliseconds from oai.publish_loaded()", true};

}  // namespace oai::load::queries
