// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of items, named, once. All but the first five run within the
// transaction of a slice.
#pragma once

#include <array>
#include <string_view>

#include "pg/connection.h"
#include "pg/copy_writer.h"
#include "tools/load/item.h"
#include "tools/load/queries.h"

namespace oai::load::queries {

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
// To be run in this order, between kBegin, kOneLoader and kCommit (queries.h).
// $1: local_ids -> local_id, id of those that are items
inline constexpr pg::Statement kItemKnown{"load_item_known", R"(
    select local_id, id from library.item where local_id = any ($1::text[]))"};
// COPY of local_id, datestamp, deleted, collection_ids in ascending order, all_collections,
// content, all_payloads; of those that are known, then id, fresh (f).
inline constexpr pg::Statement kItemCopyNew{"load_item_copy_new", kCopyNewText.data()};
inline constexpr pg::Statement kItemCopyKnown{"load_item_copy_known", kCopyKnownText.data()};
// So that plans know how much was staged.
inline constexpr pg::Statement kItemAnalyze{"load_item_analyze", "select library.analyze_staged()"};
// For fresh items, those that have no id yet. -> one row: how many
inline constexpr pg::Statement kItemInsert{"load_item_insert", "select library.insert_staged()"};
// For the administrator, as kSetSequence.
inline constexpr char kItemSetSequence[] =
    "select setval('library.item_id_seq', (select max(id) from library.item))";
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
    select library.kind_id(k) from unnest($1::text[]) k
    union all
    select cardinality(library.language_ids(array[l])) from unnest($2::text[]) l)"};
// schema/library/loading.sql: for a slice of fresh items that publishes itself, instead of all the
// above between kItemAnalyze and kCommit. -> one row: how many items are new
inline constexpr pg::Statement kItemPrepare{"load_item_prepare", "select library.prepare_slice()"};
// -> one row: turn, null once published; milliseconds
inline constexpr pg::Statement kItemPublish{
    "load_item_publish", "select turn, milliseconds from library.publish_slice()", true};

}  // namespace oai::load::queries
