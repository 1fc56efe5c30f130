// SPDX-License-Identifier: MIT
// Writes a slice of items into the model library in one transaction: names and known items become
// ids here, COPY fills a temporary table, set-based statements do the rest. Any number of loaders
// may run at once. Knows no files.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "pg/connection.h"
#include "pg/copy_writer.h"
#include "tools/load/item.h"
#include "tools/load/item_queries.h"
#include "tools/load/latest_records.h"
#include "tools/load/name_ids.h"
#include "tools/load/report.h"

namespace oai::load {

inline const std::string& key_of(const Item& item) { return item.local_id; }
std::size_t memory_bytes(const Item& item);
using ItemSlice = LatestRecords<Item>;

class ItemStaging {
  public:
    // `collections`: names that every item is filed in. Throws pg::Error; std::runtime_error in
    // words when the model is not there.
    ItemStaging(pg::Connection& connection, std::vector<std::string> collections);

    // All or nothing. A deadlock with other programs is tried again. Throws pg::Error.
    SliceCounts write(const std::vector<Item>& items);
    // The same within the caller's transaction, which has begun with queries::kOneLoader; once in a
    // transaction. A caller that rolls it back calls forget_names().
    SliceCounts write_within(const std::vector<Item>& items);
    void forget_names() { names_.clear(); }

  private:
    using Ids = std::unordered_map<std::string, std::int64_t>;  // by local_id

    SliceCounts try_write(const std::vector<Item>& items);
    Ids find_known(const std::vector<Item>& items);
    void resolve_names(const std::vector<Item>& items);
    std::size_t copy(const std::vector<Item>& items, const Ids& ids, bool are_known);
    void add_columns(pg::CopyWriter& row, const Item& item) const;
    std::size_t insert(std::size_t fresh);
    SliceCounts change();

    pg::Connection& connection_;
    const std::vector<std::string> collections_;
    NameIds names_{queries::kItemCollections};
};

}  // namespace oai::load
