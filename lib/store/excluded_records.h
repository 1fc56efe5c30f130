// SPDX-License-Identifier: MIT
// The records that a format does not have because its stylesheet fails on them
// (schema/006-exclusion.sql), in memory: there are few, and a page must not pay for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace oai {

// Immutable; thread-safe.
class ExcludedRecords {
  public:
    explicit ExcludedRecords(const std::vector<ExcludedRecord>& all);
    bool has(std::string_view prefix, std::int64_t seq) const;

  private:
    std::map<std::string, std::vector<std::int64_t>, std::less<>> seqs_;  // by prefix, ascending
};

// Thread-safe.
class ExcludedRecordsCache {
  public:
    // Asks for their version, and reads them if it has changed. Throws as Store.
    void refresh(Store& store);
    // As of the last refresh(), which is made when there was none yet.
    std::shared_ptr<const ExcludedRecords> get(Store& store);

  private:
    std::mutex mutex_;
    std::int64_t version_ = -1;
    std::shared_ptr<const ExcludedRecords> records_;
};

}  // namespace oai
