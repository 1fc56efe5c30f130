// SPDX-License-Identifier: MIT
#include "tools/load/item_staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "pg/retry.h"
#include "protocol/record.h"
#include "tools/load/item_queries.h"
#include "tools/load/name_ids.h"
#include "tools/load/queries.h"

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

constexpr std::size_t kMaxOtherBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxKnownSets = 100'000;

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

SliceCounts ItemStaging::write_within(const Items& items) {
    const Ids ids = find_known(items);
    resolve_names(items);
    const std::size_t fresh = copy(items, ids, false);
    if (fresh < items.size()) copy(items, ids, true);
    connection_.query(queries::kItemAnalyze);
    const std::size_t inserted = fresh > 0 ? insert(fresh) : 0;
    SliceCounts counts;
    if (inserted < items.size()) counts = change();
    counts.inserted = static_cast<std::int64_t>(inserted);
    return counts;
}

PublishedSlice ItemStaging::publish(const std::vector<Item>& items) {
    PublishedSlice done;
    Items fresh = pointers(items);
    for (int attempt = 1; is_numbered() && attempt <= pg::kRetryConflicts.max_attempts; ++attempt) {
        const Ids ids = find_known(fresh);
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

ItemStaging::Ids ItemStaging::find_known(const Items& items) {
    std::vector<std::string> local_ids;
    local_ids.reserve(items.size());
    for (const Item* item : items) local_ids.push_back(item->local_id);
    const pg::Result rows =
        connection_.query(queries::kItemKnown, pg::Parameters().add(pg::array_literal(local_ids)));
    Ids ids;
    for (int i = 0; i < rows.rows(); ++i)
        ids.emplace(rows.bytes(i, 0), pg::read_integer(rows.bytes(i, 1)));
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
        connection_.query(
            queries::kItemAddSets,
            pg::Parameters().add(pg::array_literal(kinds)).add(pg::array_literal(languages)));
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
    return {0, pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

void add_content(pg::CopyWriter& row, const Item& item) {
    for (std::size_t e = 0; e < kElements; ++e)
        add_element(row, item.elements[e], kElementNames[e].has_language);
    for (const auto& column : kTextColumns) row.add_or_null(item.*column.value);
    for (const auto& column : kListColumns) row.add_or_null(item.*column.value);
    for (const auto& column : kNumberColumns) row.add(item.*column.value);
}

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
        if (is_new && item.deleted != true && !item.is_dated()) {
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
