// SPDX-License-Identifier: MIT
// Writes a slice of items into the model library: names and known items become ids here, COPY fills
// a temporary table, set-based statements do the rest in one transaction. It leaves them to the
// publisher, or publishes new ones itself (schema/core/loading.sql). Any number of loaders may run
// at once. Knows no files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pg/connection.h"
#include "pg/copy_writer.h"
#include "tools/load/item.h"
#include "tools/load/name_ids.h"
#include "tools/load/progress.h"
#include "tools/load/queries.h"

namespace oai::load {

// Records gathered for one transaction, each local_id once: a later record replaces an earlier one.
// The namespace of Record has key_of(record), its local_id, and memory_bytes(record).

template <class Record>
class LatestRecords {
  public:
    void add(Record record) {
        const auto [known, is_new] = index_.try_emplace(key_of(record), records_.size());
        bytes_ += memory_bytes(record);
        if (is_new)
            records_.push_back(std::move(record));
        else
            records_[known->second] = std::move(record);
    }

    const std::vector<Record>& records() const { return records_; }
    std::vector<Record>& records() { return records_; }
    std::size_t size() const { return records_.size(); }
    // About what they take in memory; those that were replaced count as well.
    std::size_t bytes() const { return bytes_; }

    void clear() {
        records_.clear();
        index_.clear();
        bytes_ = 0;
    }

  private:
    std::vector<Record> records_;
    std::unordered_map<std::string, std::size_t> index_;  // of records_, by local_id
    std::size_t bytes_ = 0;
};

inline const std::string& key_of(const Item& item) { return item.local_id; }
std::size_t memory_bytes(const Item& item);
using ItemSlice = LatestRecords<Item>;

class ItemStaging {
  public:
    // A slice that publishes itself takes a second of its own, so fewer items are left to the
    // publisher, which publishes many slices at once.
    static constexpr std::size_t kLeastPublished = 2000;

    // `collections`: names that every item is filed in. Throws pg::Error; std::runtime_error in
    // words when the model is not there.
    ItemStaging(pg::Connection& connection, std::vector<std::string> collections);

    // All or nothing. A deadlock with other programs is tried again. Throws pg::Error.
    SliceCounts write(const std::vector<Item>& items);
    // Publishes the items that are new and not deleted, in a transaction that waits for a second of
    // its own; writes all others, and those for which it cannot have one. What conflicts with other
    // programs is tried again. Each of the two is all or nothing, but for names.
    PublishedSlice publish(const std::vector<Item>& items);
    // The same as write() within the caller's transaction, which has begun with
    // queries::kOneLoader; once in a transaction. A caller that rolls it back calls forget_names().
    SliceCounts write_within(const std::vector<Item>& items);
    void forget_names() { names_.clear(); }

  private:
    using Ids = std::unordered_map<std::string, std::int64_t>;  // by local_id
    using Items = std::vector<const Item*>;

    SliceCounts write(const Items& items);
    SliceCounts write_within(Items items);
    SliceCounts write_transaction(const Items& items);
    // Returns how long the horizon was locked; nothing if the items are to be left.
    std::optional<std::chrono::milliseconds> try_publish(Items& items);
    void start_anew() noexcept;  // after a failure
    bool is_numbered();
    // Moves items that follow a table of the repository's own from `items` to `refused`.
    Ids find_known(Items& items, std::vector<std::string>& refused);
    void resolve_names(const Items& items);
    void make_sets(const Items& items);
    std::size_t copy(const Items& items, const Ids& ids, bool are_known);
    void add_columns(pg::CopyWriter& row, const Item& item) const;
    std::size_t insert(std::size_t fresh);
    SliceCounts change();

    pg::Connection& connection_;
    const std::vector<std::string> collections_;
    NameIds names_{queries::kItemCollections};
    std::unordered_set<std::string> kinds_, languages_;  // that have their sets
};

}  // namespace oai::load
