// SPDX-License-Identifier: MIT
#include "tools/load/item_queries.h"

#include <array>
#include <string_view>

#include "pg/copy_writer.h"
#include "tools/load/item.h"

namespace oai::load::queries {
namespace {

// The names of the columns of content, in the order of add_content().
constexpr void for_each_name(auto function) {
    for (const ElementName& element : kElementNames) {
        function(std::string_view(element.name), std::string_view());
        if (element.has_language)
            function(std::string_view(element.name), std::string_view("_lang"));
    }
    for (const auto& column : kTextColumns)
        function(std::string_view(column.name), std::string_view());
    for (const auto& column : kListColumns)
        function(std::string_view(column.name), std::string_view());
    for (const auto& column : kNumberColumns)
        function(std::string_view(column.name), std::string_view());
}

consteval std::size_t content_size() {
    std::size_t size = 0;
    for_each_name([&](std::string_view name, std::string_view suffix) {
        size += (size == 0 ? 0 : 2) + name.size() + suffix.size();
    });
    return size;
}

consteval auto list_content() {
    std::array<char, content_size() + 1> list{};
    std::size_t end = 0;
    const auto append = [&](std::string_view text) {
        for (const char c : text) list[end++] = c;
    };
    for_each_name([&](std::string_view name, std::string_view suffix) {
        append(end == 0 ? "" : ", ");
        append(name);
        append(suffix);
    });
    return list;
}

constexpr auto kContent = list_content();
constexpr auto kStagingText = pg::joined("select library.make_staging('{", kContent, "}')");
constexpr auto kCopied =
    pg::joined("copy load_item (local_id, datestamp, deleted, collection_ids, all_collections, ",
               kContent, ", all_payloads");
constexpr auto kCopyNewText = pg::joined(kCopied, ") from stdin");
constexpr auto kCopyKnownText = pg::joined(kCopied, ", id, fresh) from stdin");
constexpr auto kFillText =
    pg::joined("copy library.item (id, seq, datestamp, set_ids, kind_id, language_ids, local_id, ",
               kContent, ") from stdin");

}  // namespace

const pg::Statement kLibrary{"load_library", "select to_regclass('library.item') is not null"};

const pg::Statement kItemStaging{"load_item_staging", kStagingText.data()};

const pg::Statement kItemKnown{"load_item_known", R"(
    select local_id, id from library.item where local_id = any ($1::text[]))"};

const pg::Statement kItemCopyNew{"load_item_copy_new", kCopyNewText.data()};
const pg::Statement kItemCopyKnown{"load_item_copy_known", kCopyKnownText.data()};

const pg::Statement kItemAnalyze{"load_item_analyze", "select library.analyze_staged()"};

const pg::Statement kItemInsert{"load_item_insert", "select library.insert_staged()"};

const pg::Statement kItemRematch{"load_item_rematch", R"(
    update load_item s set id = i.id, fresh = false
    from library.item i where s.fresh and i.local_id = s.local_id and i.id <> s.id)"};

const pg::Statement kItemUpdate{"load_item_update", "select library.update_staged()"};

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
