// SPDX-License-Identifier: MIT
// Moves a slice of items into the model library in one transaction: names and known items become ids here, COPY fills a
// temporary table, set-based statements do the rest. Any number of loaders may run at once. Knows no files.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/item.h"
#include "load/item_queries.h"
#include "load/staging.h"
#include "pg/connection.h"

namespace oai::load {

// Items gathered for one transaction, each local_id once: the later word counts.
class ItemSlice {
  public:
    void add(Item item);
    const std::vector<Item>& items() const { return items_; }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<Item> items_;
    std::unordered_map<std::string, std::size_t> by_local_id_;
    std::size_t bytes_ = 0;
};

struct ItemsMoved {
    std::int64_t inserted = 0;
    std::int64_t updated = 0;       // content, collections, deletion
    std::int64_t left_deleted = 0;  // deleted in this repository, and the file does not speak of it
};

class ItemStaging {
  public:
    // `collections`: names that every item is filed in. Throws pg::Error; std::runtime_error in words when the model is
    // not there.
    ItemStaging(pg::Connection& connection, std::vector<std::string> collections);

    // All or nothing. A deadlock with other programs is tried again. Throws pg::Error.
    ItemsMoved move(const std::vector<Item>& items);
    // The same in the caller's transaction, once in it; queries::kOneLoader is the caller's.
    ItemsMoved move_within(const std::vector<Item>& items);
    // A caller whose transaction was rolled back says so.
    void rolled_back() { names_.forget(); }

  private:
    using Ids = std::unordered_map<std::string, std::int64_t>;  // by local_id

    ItemsMoved try_move(const std::vector<Item>& items);
    Ids known(const std::vector<Item>& items);
    void resolve(const std::vector<Item>& items);
    std::size_t copy(const std::vector<Item>& items, const Ids& ids, bool are_known);
    std::size_t insert(std::size_t fresh);
    ItemsMoved change();
    void append_row(std::string& out, const Item& item) const;

    pg::Connection& connection_;
    const std::vector<std::string> collections_;
    Names names_{queries::kItemCollections};
};

}  // namespace oai::load
