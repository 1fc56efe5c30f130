// SPDX-License-Identifier: MIT
#include "tools/load/item_staging.h"

#include <algorithm>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/retry.h"
#include "protocol/record.h"

namespace oai::load {
namespace {

constexpr std::size_t kMaxSetNames = 100'000;

std::vector<const Item*> pointers(const std::vector<Item>& items) {
    std::vector<const Item*> pointers;
    pointers.reserve(items.size());
    for (const Item& item : items) pointers.push_back(&item);
    return pointers;
}

// '{cs,NULL}', one for each value; NULL instead of the array where no value has a language.
void add_languages(pg::CopyWriter& row, const std::vector<Value>& values) {
    if (std::all_of(values.begin(), values.end(),
                    [](const Value& v) { return v.language.empty(); }))
        return row.add_null();
    std::string out = "{";
    for (const Value& value : values) {
        if (&value != &values.front()) out += ',';
        out += value.language.empty() ? "NULL" : value.language;  // letters, digits and hyphens
    }
    row.add(out += '}');
}

void add_element(pg::CopyWriter& row, const std::vector<Value>& values, bool has_language) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const Value& value : values) texts.push_back(value.text);
    row.add_or_null(texts);
    if (has_language) add_languages(row, values);
}

// In the order of queries::kContent: kind, the elements, ..., origin.
void add_content(pg::CopyWriter& row, const Item& item) {
    for (std::size_t e = 0; e < kElements; ++e)
        add_element(row, item.elements[e], kElementNames[e].has_language);
    for (const auto& column : kTextColumns) row.add_or_null(item.*column.value);
    for (const auto& column : kListColumns) row.add_or_null(item.*column.value);
    for (const auto& column : kNumberColumns) row.add(item.*column.value);
}

}  // namespace

std::size_t memory_bytes(const Item& item) {
    std::size_t n = sizeof(Item) + item.marc.size() + item.mods.size() + item.origin.size() +
                    item.local_id.size();
    for (const auto& values : item.elements)
        for (const Value& value : values) n += sizeof(Value) + value.text.size();
    return n;
}

ItemStaging::ItemStaging(pg::Connection& connection, std::vector<std::string> collections)
    : connection_(connection), collections_(std::move(collections)) {
    if (!pg::read_bool(connection_.query(queries::kLibrary).bytes(0, 0)))
        throw std::runtime_error("the database has no model library: make it by `oai schema`");
    connection_.query(queries::kSession);
    connection_.query(queries::kItemStaging);
}

SliceCounts ItemStaging::write(const std::vector<Item>& items) { return write(pointers(items)); }

SliceCounts ItemStaging::write_within(const std::vector<Item>& items) {
    return write_within(pointers(items));
}

void ItemStaging::start_anew() noexcept {
    connection_.reset_quietly();
    forget_names();
}

SliceCounts ItemStaging::write(const Items& items) {
    return pg::retry(
        pg::kRetryConflicts, [&] { return write_transaction(items); }, [this] { start_anew(); });
}

SliceCounts ItemStaging::write_transaction(const Items& items) {
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);
    const SliceCounts counts = write_within(items);
    connection_.query(queries::kCommit);
    return counts;
}

SliceCounts ItemStaging::write_within(Items items) {
    SliceCounts counts;
    const Ids ids = find_known(items, counts.refused);
    resolve_names(items);
    const std::size_t fresh = copy(items, ids, false);
    if (fresh < items.size()) copy(items, ids, true);
    connection_.query(queries::kItemAnalyze);
    const std::size_t inserted = fresh > 0 ? insert(fresh) : 0;
    if (inserted < items.size()) counts += change();
    counts.inserted = static_cast<std::int64_t>(inserted);
    return counts;
}

PublishedSlice ItemStaging::publish(const std::vector<Item>& items) {
    PublishedSlice done;
    Items fresh = pointers(items);
    for (int attempt = 1; is_numbered() && attempt <= pg::kRetryConflicts.max_attempts; ++attempt) {
        const Ids ids = find_known(fresh, done.counts.refused);
        const auto known = std::stable_partition(fresh.begin(), fresh.end(), [&](const Item* item) {
            return !ids.contains(item->local_id) && item->deleted != true && !item->is_dated();
        });
        if (const Items others(known, fresh.end()); !others.empty()) done.counts += write(others);
        fresh.erase(known, fresh.end());
        if (fresh.size() < kLeastPublished) break;
        try {
            if (const auto locked = try_publish(fresh)) {
                done.counts.inserted += static_cast<std::int64_t>(fresh.size());
                done.published = fresh.size();
                done.locked = *locked;
                return done;
            }
            start_anew();
            break;
        } catch (const pg::Error& e) {
            start_anew();
            if (pg::is_lock_timeout(e)) break;  // the publisher knows how to wait for it
            if (!pg::is_conflict(e)) throw;
        } catch (...) {
            start_anew();
            throw;
        }
    }
    if (!fresh.empty()) done.counts += write(fresh);
    return done;
}

// Names and sets are committed at once, so that others that need the same need not wait.
std::optional<std::chrono::milliseconds> ItemStaging::try_publish(Items& items) {
    std::sort(items.begin(), items.end(),
              [](const Item* a, const Item* b) { return a->local_id < b->local_id; });
    resolve_names(items);
    make_sets(items);
    connection_.query(queries::kBegin);
    connection_.query(queries::kLoaders);
    copy(items, {}, false);
    connection_.query(queries::kItemAnalyze);
    connection_.query(queries::kItemPrepare);
    const auto locked = take_turn(connection_, queries::kItemPublish);
    if (locked) connection_.query(queries::kCommit);
    return locked;
}

bool ItemStaging::is_numbered() {
    return pg::read_bool(connection_.query(queries::kItemNumbered).bytes(0, 0));
}

ItemStaging::Ids ItemStaging::find_known(Items& items, std::vector<std::string>& refused) {
    std::vector<std::string> local_ids;
    local_ids.reserve(items.size());
    for (const Item* item : items) local_ids.push_back(item->local_id);
    const pg::Result rows =
        connection_.query(queries::kItemKnown, parameters(pg::array_literal(local_ids)));
    Ids ids;
    std::unordered_set<std::string_view> following;
    for (int i = 0; i < rows.rows(); ++i) {
        ids.emplace(rows.bytes(i, 0), pg::read_integer(rows.bytes(i, 1)));
        if (pg::read_bool(rows.bytes(i, 2))) following.insert(rows.bytes(i, 0));
    }
    if (following.empty()) return ids;
    refused.insert(refused.end(), following.begin(), following.end());
    std::erase_if(items, [&](const Item* item) { return following.contains(item->local_id); });
    return ids;
}

void ItemStaging::resolve_names(const Items& items) {
    for (const std::string& name : collections_) names_.request(name);
    for (const Item* item : items)
        for (const std::string& name : item->collections) names_.request(name);
    names_.resolve(connection_);
}

// Names are never deleted, so what was made once is there.
void ItemStaging::make_sets(const Items& items) {
    std::vector<std::string> kinds, languages;
    if (kinds_.size() + languages_.size() > kMaxSetNames) {
        kinds_.clear();
        languages_.clear();
    }
    for (const Item* item : items) {
        if (!item->kind.empty() && kinds_.insert(item->kind).second) kinds.push_back(item->kind);
        for (const Value& value : (*item)[Element::language])
            if (languages_.insert(value.text).second) languages.push_back(value.text);
    }
    if (kinds.empty() && languages.empty()) return;
    try {
        connection_.query(queries::kItemAddSets,
                          parameters(pg::array_literal(kinds), pg::array_literal(languages)));
    } catch (...) {
        kinds_.clear();
        languages_.clear();
        throw;
    }
}

// In the order of queries::kItemCopyNew.
void ItemStaging::add_columns(pg::CopyWriter& row, const Item& item) const {
    std::vector<std::string> names = item.collections;
    names.insert(names.end(), collections_.begin(), collections_.end());
    row.add(item.local_id);
    row.add_or_null(print_datestamp(item.datestamp));
    item.deleted ? row.add(*item.deleted) : row.add_null();
    row.add(names_.ids(names));
    row.add(item.all_collections);
    add_content(row, item);
    row.add(item.all_payloads);
}

// Copies the items that have an id already, or the others. Returns how many.
std::size_t ItemStaging::copy(const Items& items, const Ids& ids, bool are_known) {
    pg::CopyWriter row(connection_, are_known ? queries::kItemCopyKnown : queries::kItemCopyNew);
    for (const Item* item : items) {
        const auto id = ids.find(item->local_id);
        if ((id != ids.end()) != are_known) continue;
        add_columns(row, *item);
        if (are_known) {
            row.add(std::optional(id->second));
            row.add(false);
        }
        row.end_row();
    }
    return static_cast<std::size_t>(row.finish());
}

// Returns how many were inserted; the others were inserted by other programs since find_known().
std::size_t ItemStaging::insert(std::size_t fresh) {
    const auto inserted = static_cast<std::size_t>(
        pg::read_integer(connection_.query(queries::kItemInsert).bytes(0, 0)));
    if (inserted < fresh) connection_.query(queries::kItemRematch);
    connection_.query(queries::kItemFile);
    return inserted;
}

SliceCounts ItemStaging::change() {
    for (const pg::Statement* statement :
         {&queries::kItemUpdate, &queries::kItemRefile, &queries::kItemDelete})
        connection_.query(*statement);
    const pg::Result counts = connection_.query(queries::kItemCount);
    return {.updated = pg::read_integer(counts.bytes(0, 0)),
            .left_deleted = pg::read_integer(counts.bytes(0, 1))};
}

}  // namespace oai::load
