// SPDX-License-Identifier: MIT
// What one answer has cost and delivered. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oai {

// A record that its stylesheet could not disseminate; or the setSpec of one with a bad description.
struct BadRecord {
    std::string identifier;
    std::string why;
};

// The figures of one answer, for the request's log line and the metrics.
struct RequestStats {
    int records = 0;                        // in this answer
    std::int64_t cursor = 0;                // in the pages of the list before this one
    std::int64_t size = -1;                 // completeListSize; -1: unknown
    bool more = false;                      // the list goes on after this page
    std::chrono::nanoseconds database{0};   // waited for the database, a free connection included
    std::chrono::nanoseconds transform{0};  // spent in stylesheets
    std::vector<BadRecord> bad_records;
    // A record for which the compiled stylesheet gave another result than libxslt.
    std::optional<BadRecord> difference;

    // Adds what another answer, shown on the same page for people, has cost and delivered.
    void add(const RequestStats& other);
};

}  // namespace oai
