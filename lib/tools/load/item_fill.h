// SPDX-License-Identifier: MIT
// The first fill of model library (schema/library/fill.sql): writes and publishes the items of
// all files in one transaction, in the order in which they are read. Whole or not at all. Knows no
// formats of files.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/load/first_fill.h"
#include "tools/load/item.h"
#include "tools/load/name_ids.h"

namespace oai::load {

class ItemFill final : public FirstFill {
  public:
    // collections: names that every item is filed in. Waits while another process fills the
    // repository. Throws pg::Error.
    ItemFill(const std::string& conninfo, std::vector<std::string> collections, Progress& progress);
    ~ItemFill() { await_end(); }

    // Returns false if the repository is not empty, or its publisher has not run yet: files are
    // then to be loaded slice by slice.
    bool begin();

    std::size_t slice_records() const { return 5000; }
    // Takes the items, each local_id once, and writes them while the caller reads on. Those that
    // an earlier call had, and deleted ones, are kept for take_others(). Throws what the last ones
    // threw.
    SliceCounts write(std::vector<Item>& items);
    SliceCounts finish();  // returns once all are written

    void publish();
    // After publish(): items to be written slice by slice, in the order in which they came.
    std::vector<Item> take_others() { return std::exchange(others_, {}); }
    // How many others found no room since the last call: the file has to be loaded once more.
    std::int64_t take_dropped() { return std::exchange(dropped_, 0); }

  private:
    void write_all(const std::vector<Item>& items);
    void resolve_names(const std::vector<Item>& items);
    void find_sets(const std::vector<std::vector<int>>& sets_of_items);
    int kind_id(const std::string& kind);
    const std::vector<int>& language_ids(const Item& item);
    std::vector<int> collection_ids(const Item& item) const;
    void copy_items(const std::vector<Item>& items);
    void copy_filed(const std::vector<std::pair<std::int64_t, int>>& filed);

    const std::vector<std::string> collections_;
    NameIds names_;
    std::unordered_map<std::string, int> kinds_;
    std::unordered_map<std::string, std::vector<int>> languages_;  // by array literal
    std::unordered_set<int> sets_;                                 // that chunks_ knows
    std::unordered_set<std::size_t> keys_;  // hashes of local_ids that were met
    std::vector<Item> others_;
    std::size_t other_bytes_ = 0;
    std::int64_t dropped_ = 0;
};

}  // namespace oai::load
