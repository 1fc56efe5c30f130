// SPDX-License-Identifier: MIT
// Harvested records gathered for one transaction, each item once: the later word counts. Knows neither the database nor
// the walk.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/item.h"

namespace oai::aggregate {

struct Gathered {
    load::Item item;         // of oai_dc; of other formats its collections alone
    std::string other_local_id;  // ours, where item.local_id is theirs and may be another source's; else ""
    std::string identifier;  // theirs
    std::string datestamp;   // theirs
    bool deleted = false;
    std::string payload, payload_namespace;  // of other formats; "" of a deleted record
    std::string origin;      // of the payload
};

class Batch {
  public:
    void add(Gathered record);
    std::vector<Gathered>& records() { return records_; }
    std::size_t size() const { return records_.size(); }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();
    // Takes out the first half, of one record this one. REQUIRES: not empty.
    Batch split();

  private:
    std::vector<Gathered> records_;
    std::unordered_map<std::string, std::size_t> by_local_id_;
    std::size_t bytes_ = 0;
};

}  // namespace oai::aggregate
