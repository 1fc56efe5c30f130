// SPDX-License-Identifier: MIT
#include "tools/load/item_fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "protocol/record.h"
#include "tools/load/item_queries.h"
#include "tools/load/item_staging.h"
#include "tools/load/queries.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxOtherBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxKnownSets = 100'000;

}  // namespace

ItemFill::ItemFill(const std::string& conninfo, std::vector<std::string> collections,
                   Progress& progress)
    : FirstFill(conninfo, progress),
      collections_(std::move(collections)),
      names_(queries::kItemCollections) {
    connection_.query(queries::kSession);
}

bool ItemFill::begin() {
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);  // others would take ids that are given out here
    const pg::Result opened = connection_.query(queries::kItemFillBegin);
    if (opened.is_null(0, 0)) return false;  // the caller ends the connection, and the transaction
    datestamp_ = pg::read_integer(opened.bytes(0, 0));
    first_id_ = pg::read_integer(opened.bytes(0, 1));
    progress_.line(
        "first fill: nothing is seen of it before it ends; one that is broken off begins anew");
    return true;
}

SliceCounts ItemFill::write(std::vector<Item>& items) {
    std::vector<Item> fresh;
    fresh.reserve(items.size());
    for (Item& item : items) {
        const bool is_new = keys_.insert(std::hash<std::string>()(item.local_id)).second;
        if (is_new && item.deleted != true) {
            fresh.push_back(std::move(item));
        } else if (other_bytes_ < kMaxOtherBytes) {
            other_bytes_ += memory_bytes(item);
            others_.push_back(std::move(item));
        } else {
            ++dropped_;
        }
    }
    const auto records = static_cast<std::int64_t>(fresh.size());
    begin_writing([this, taken = std::move(fresh)] { write_all(taken); });
    return {.inserted = records};
}

SliceCounts ItemFill::finish() {
    wait();
    return {};
}

void ItemFill::write_all(const std::vector<Item>& items) {
    resolve_names(items);
    copy_items(items);
    write_chunks(queries::kItemFillChunks, chunks_.take_full());
}

void ItemFill::resolve_names(const std::vector<Item>& items) {
    for (const std::string& name : collections_) names_.request(name);
    for (const Item& item : items)
        for (const std::string& name : item.collections) names_.request(name);
    names_.resolve(names_connection_);
    if (kinds_.size() > kMaxKnownSets) kinds_.clear();
    if (languages_.size() > kMaxKnownSets) languages_.clear();
}

int ItemFill::kind_id(const std::string& kind) {
    const auto [known, is_new] = kinds_.try_emplace(kind);
    if (is_new)
        known->second = static_cast<int>(pg::read_integer(
            names_connection_.query(queries::kItemFillKind, pg::Parameters().add(kind))
                .bytes(0, 0)));
    return known->second;
}

const std::vector<int>& ItemFill::language_ids(const Item& item) {
    std::vector<std::string> values;
    for (const Value& value : item[Element::language]) values.push_back(value.text);
    const std::string literal = pg::array_literal(values);
    const auto [known, is_new] = languages_.try_emplace(literal);
    if (is_new && !values.empty())
        pg::read_int4_array(
            names_connection_.query(queries::kItemFillLanguages, pg::Parameters().add(literal))
                .bytes(0, 0),
            known->second);
    return known->second;
}

std::vector<int> ItemFill::collection_ids(const Item& item) const {
    std::vector<std::string> names = item.collections;
    names.insert(names.end(), collections_.begin(), collections_.end());
    return names_.ids(names);
}

void ItemFill::find_sets(const std::vector<std::vector<int>>& sets_of_items) {
    std::vector<int> unknown;
    for (const std::vector<int>& sets : sets_of_items)
        for (const int id : sets)
            if (sets_.insert(id).second) unknown.push_back(id);
    if (unknown.empty()) return;
    add_sets(names_connection_.query(queries::kItemFillSets,
                                     pg::Parameters().add(pg::int_array_literal(unknown))));
}

// In the order of queries::kItemFillCopy. The sets of an item are in the order of oai.membership.
void ItemFill::copy_items(const std::vector<Item>& items) {
    std::vector<std::vector<int>> sets_of_items;
    std::vector<std::pair<std::int64_t, int>> filed;
    std::int64_t id = first_id_ + written_;
    for (const Item& item : items) {
        std::vector<int>& sets = sets_of_items.emplace_back();
        if (!item.kind.empty()) sets.push_back(kind_id(item.kind));
        const std::vector<int>& languages = language_ids(item);
        sets.insert(sets.end(), languages.begin(), languages.end());
        for (const int collection : collection_ids(item)) {
            sets.push_back(collection);
            filed.emplace_back(id, collection);
        }
        ++id;
    }
    find_sets(sets_of_items);
    const std::string datestamp = print_datestamp(Seconds{std::chrono::seconds{datestamp_}});
    pg::CopyWriter out(connection_, queries::kItemFillCopy);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Item& item = items[i];
        out.add(std::optional(first_id_ + written_));
        out.add(std::optional(++written_));
        out.add(datestamp);
        out.add(sets_of_items[i]);
        out.add(item.kind.empty() ? std::nullopt : std::optional(kind_id(item.kind)));
        out.add(language_ids(item));
        out.add(item.local_id);
        add_content(out, item);
        out.end_row();
        chunks_.add(written_, sets_of_items[i]);
    }
    out.finish();
    copy_filed(filed);
}

void ItemFill::copy_filed(const std::vector<std::pair<std::int64_t, int>>& filed) {
    if (filed.empty()) return;
    pg::CopyWriter out(connection_, queries::kItemFillFile);
    for (const auto& [id, collection] : filed) {
        out.add(std::optional(id));
        out.add(std::optional(collection));
        out.end_row();
    }
    out.finish();
}

void ItemFill::publish() {
    finish();
    write_chunks(queries::kItemFillChunks, chunks_.take_rest());
    pg::Parameters end;
    end.add(written_).add(first_id_).add(datestamp_);
    add_set_sizes(end);
    connection_.query(queries::kItemFillEnd, end);
    connection_.query(queries::kCommit);
    leave();
    progress_.line(
        fmt::format("first fill: {} items are published; {} were met again or are deleted",
                    written_, others_.size() + static_cast<std::size_t>(dropped_)));
}

}  // namespace oai::load
