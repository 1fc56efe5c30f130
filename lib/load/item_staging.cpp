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
    out += "\t{";
    for (const Value& value : values) {
        if (&value != &values.front()) out += ',';
        out += value.language.empty() ? "NULL" : value.language;  // letters, digits and hyphens
    }
    out += '}';
}

void append_element(std::string& out, const std::vector<Value>& values, bool has_language) {
    if (values.empty()) return out.append(has_language ? "\t\\N\t\\N" : "\t\\N"), void();
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const Value& value : values) texts.push_back(value.text);
    append_array(out, texts);
    if (has_language) append_languages(out, values);
}

// '{1,7}': in order, each once.
void append_ids(std::string& out, std::vector<int> ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    out += "\t{";
    for (const int& id : ids) {
        if (&id != &ids.front()) out += ',';
        out += std::to_string(id);
    }
    out += '}';
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
            rolled_back();
            const bool passes = e.sqlstate() == "40P01" || e.sqlstate() == "40001";
            if (!passes || tries == kTries) throw;
        } catch (...) {
            connection_.reset_quietly();
            rolled_back();
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
    const Ids ids = known(items);
    resolve(items);
    const std::size_t fresh = copy(items, ids, false);
    if (fresh < items.size()) copy(items, ids, true);
    connection_.query(queries::kItemAnalyze);
    const std::size_t inserted = fresh > 0 ? insert(fresh) : 0;
    ItemsMoved moved;
    if (inserted < items.size()) moved = change();
    moved.inserted = static_cast<std::int64_t>(inserted);
    return moved;
}

ItemStaging::Ids ItemStaging::known(const std::vector<Item>& items) {
    std::vector<std::string> local_ids;
    local_ids.reserve(items.size());
    for (const Item& item : items) local_ids.push_back(item.local_id);
    const pg::Result found = connection_.query(queries::kItemKnown, pg::Parameters().add(array_literal(local_ids)));
    Ids ids;
    for (int i = 0; i < found.rows(); ++i) ids.emplace(found.bytes(i, 0), pg::read_integer(found.bytes(i, 1)));
    return ids;
}

void ItemStaging::resolve(const std::vector<Item>& items) {
    for (const std::string& name : collections_) names_.want(name);
    for (const Item& item : items)
        for (const std::string& name : item.collections) names_.want(name);
    names_.resolve(connection_);
}

// In the order of queries::kItemCopyNew.
void ItemStaging::append_row(std::string& out, const Item& item) const {
    append_copy_text(out, item.local_id);
    append_scalar(out, item.datestamp ? print_datestamp(*item.datestamp) : "");
    append_scalar(out, !item.deleted ? "" : *item.deleted ? "t" : "f");
    std::vector<int> collections;
    for (const std::string& name : item.collections) collections.push_back(names_.id(name));
    for (const std::string& name : collections_) collections.push_back(names_.id(name));
    append_ids(out, std::move(collections));
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
}

// Those that are items already, or the others. Returns how many.
std::size_t ItemStaging::copy(const std::vector<Item>& items, const Ids& ids, bool are_known) {
    std::size_t copied = 0;
    std::string out;
    connection_.copy_begin(are_known ? queries::kItemCopyKnown : queries::kItemCopyNew);
    for (const Item& item : items) {
        const auto id = ids.find(item.local_id);
        if ((id != ids.end()) != are_known) continue;
        append_row(out, item);
        if (are_known) out.append("\t").append(std::to_string(id->second)).append("\tf");
        out += '\n';
        ++copied;
        if (out.size() < kCopyBytes) continue;
        connection_.copy_data(out);
        out.clear();
    }
    connection_.copy_data(out);
    connection_.copy_end();
    return copied;
}

// Returns how many there are; the others were inserted by other programs since known() looked.
std::size_t ItemStaging::insert(std::size_t fresh) {
    const std::size_t inserted = std::stoull(connection_.query(queries::kItemInsert).affected());
    if (inserted < fresh) connection_.query(queries::kItemRematch);
    connection_.query(queries::kItemFile);
    return inserted;
}

ItemsMoved ItemStaging::change() {
    for (const pg::Statement* statement : {&queries::kItemUpdate, &queries::kItemRefile, &queries::kItemDelete})
        connection_.query(*statement);
    const pg::Result counts = connection_.query(queries::kItemCount);
    return {0, pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

}  // namespace oai::load
