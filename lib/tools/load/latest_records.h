// SPDX-License-Identifier: MIT
// Records gathered for one transaction, each local_id once: a later record replaces an earlier one.
// The namespace of Record has key_of(record), its local_id, and memory_bytes(record).
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace oai::load {

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

}  // namespace oai::load
