// SPDX-License-Identifier: MIT
// Counts what comes of a list, and what of it should not have come: records that are not of the set
// or of the dates asked for, and records that came before with the same datestamp (one that has
// changed in between may come again). All of them are taken nevertheless: a repository may have
// sets that it does not name in headers, and what it says of itself may be wrong in other ways.
// OAI-PMH 2.0, 2.5 (headers), 2.7 (selective harvesting). Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/harvest/sink.h"

namespace oai::harvest {

class RecordCounter {
  public:
    // Up to this many records are remembered, by 16 bytes each; whether one repeats a later one is
    // not known. Nor are those of an earlier run.
    static constexpr std::size_t kMaxRemembered = std::size_t{1} << 22;

    // Adds the record to the counts.
    void count(const Record& record, const ListSelection& list, ListCounts& counts);

    // Identifiers of the first records that should not have come; "" if there is none in this run.
    struct Examples {
        std::string outside_set, outside_dates, repeated;
    };
    const Examples& examples() const { return examples_; }

  private:
    void count_set(const Record& record, const std::string& spec, ListCounts& counts);
    bool is_repeated(const Record& record);
    void grow();
    std::vector<std::uint64_t> seen_;  // hashes, by open addressing; 0: free
    std::size_t remembered_ = 0;
    Examples examples_;
};

}  // namespace oai::harvest
