// SPDX-License-Identifier: MIT
#include "load/item_staging.h"

#include <algorithm>
#include <stdexcept>

#include "datestamp.h"
#include "load/item_queries.h"
#include "load/queries.h"
#include "load/staging.h"
#include "pg/binary.h"

namespace oai::load {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{256} << 10;
constexpr int kTries = 4;

// One column behind another, in COPY's text format.
void append_null(std::string& out) { out += "\t\\N"; }

void append_scalar(std::string& out, const std::string& value) {
    if (value.empty()) append_null(out);
    else append_copy_text(out += '\t', value);
}

void append_array(std::string& out, const std::vector<std::string>& values) {
    if (values.empty()) append_null(out);
    else append_copy_text(out += '\t', array_literal(values));
}

// '{"cs",NULL}'; no array where nothing is known.
void append_languages(std::string& out, const std::vector<Value>& values) {
    if (std::all_of(values.begin(), values.end(), [](const Value& v) { return v.language.empty(); }))
        return append_null(out);
    std::string literal = "{";
    for (const Value& value : values) {
        if (literal.size() > 1) literal += ',';
        literal += value.language.empty() ? "NULL" : value.language;  // letters, digits and hyphens
    }
    append_copy_text(out += '\t', literal + "}");
}

void append_element(std::string& out, const std::vector<Value>& values, bool has_language) {
    std::vector<std::string> texts;
    for (const Value& value : values) texts.push_back(value.text);
    append_array(out, texts);
    if (has_language) append_languages(out, values);
}

std::size_t size_of(const Item& item) {
    std::size_t n = sizeof(Item) + item.marc.size() + item.mods.size() + item.origin.size() + item.local_id.size();
    for (const auto& values : item.elements)
        for (const Value& value : values) n += sizeof(Value) + value.text.size();
    return n;
}

}  // namespace

void ItemSlice::add(Item item) {
    const auto [known, fresh] = by_local_id_.try_emplace(item.local_id, items_.size());
    bytes_ += size_of(item);
    if (fresh) items_.push_back(std::move(item));
    else items_[known->second] = std::move(item);
}

void ItemSlice::clear() {
    items_.clear();
    by_local_id_.clear();
    bytes_ = 0;
}

ItemStaging::ItemStaging(pg::Connection& connection, std::vector<std::string> collections)
    : connection_(connection), collections_(std::move(collections)) {
    if (!pg::read_bool(connection_.query(queries::kLibrary).bytes(0, 0)))
        throw std::runtime_error("the database has no model library: make it by `oai schema`");
    connection_.query(queries::kSession);
    connection_.query(queries::kItemStaging);
}

ItemsMoved ItemStaging::move(const std::vector<Item>& items) {
    for (int tries = 1;; ++tries) {
        try {
            return try_move(items);
        } catch (const pg::Error& e) {
            connection_.reset_quietly();
            const bool passes = e.sqlstate() == "40P01" || e.sqlstate() == "40001";
            if (!passes || tries == kTries) throw;
        } catch (...) {
            connection_.reset_quietly();
            throw;
        }
    }
}

ItemsMoved ItemStaging::try_move(const std::vector<Item>& items) {
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);
    const ItemsMoved moved = move_within(items);
    connection_.query(queries::kCommit);
    return moved;
}

ItemsMoved ItemStaging::move_within(const std::vector<Item>& items) {
    copy(items);
    // The second match is for what other programs have inserted in between.
    for (const pg::Statement* statement :
         {&queries::kItemAnalyze, &queries::kItemMatch, &queries::kItemInsert, &queries::kItemMatch, &queries::kItemUpdate,
          &queries::kItemCollections, &queries::kItemUnfile, &queries::kItemFile, &queries::kItemDelete})
        connection_.query(*statement);
    const pg::Result counts = connection_.query(queries::kItemCount);
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1)),
            pg::read_integer(counts.bytes(0, 2))};
}

// In the order of queries::kItemCopy.
std::string ItemStaging::row(const Item& item) const {
    std::string out;
    append_copy_text(out, item.local_id);
    append_scalar(out, item.datestamp ? print_datestamp(*item.datestamp) : "");
    append_scalar(out, !item.deleted ? "" : *item.deleted ? "t" : "f");
    std::vector<std::string> collections = item.collections;
    collections.insert(collections.end(), collections_.begin(), collections_.end());
    append_copy_text(out += '\t', array_literal(collections));
    append_scalar(out, item.all_collections ? "t" : "f");
    append_scalar(out, item.kind);
    for (std::size_t e = 0; e < kElements; ++e) append_element(out, item.elements[e], kElementNames[e].has_language);
    for (const std::string* value : {&item.doi, &item.urn, &item.landing_page, &item.licence}) append_scalar(out, *value);
    append_scalar(out, item.year ? std::to_string(*item.year) : "");
    append_array(out, item.isbn);
    append_array(out, item.issn);
    append_scalar(out, item.marc);
    append_scalar(out, item.mods);
    append_scalar(out, item.origin);
    append_scalar(out, item.all_payloads ? "t" : "f");
    return out += '\n';
}

void ItemStaging::copy(const std::vector<Item>& items) {
    connection_.copy_begin(queries::kItemCopy);
    std::string out;
    for (const Item& item : items) {
        out += row(item);
        if (out.size() < kCopyBytes) continue;
        connection_.copy_data(out);
        out.clear();
    }
    connection_.copy_data(out);
    connection_.copy_end();
}

}  // namespace oai::load
