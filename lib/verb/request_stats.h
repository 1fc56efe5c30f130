// SPDX-License-Identifier: MIT
// Counts and times of one response. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oai {

// A record that could not be disseminated; or, with its setSpec as identifier, a set whose
// description is invalid.
struct BadRecord {
    std::string identifier;
    std::string why;
};

// The figures of one response, for its log line and the metrics.
struct RequestStats {
    int records = 0;                        // in this response
    std::int64_t cursor = 0;                // in the pages of the list before this one
    std::int64_t size = -1;                 // completeListSize; -1: unknown
    bool more = false;                      // the list goes on after this page
    std::chrono::nanoseconds database{0};   // spent waiting for the database or a free connection
    std::chrono::nanoseconds transform{0};  // spent in stylesheets
    std::vector<BadRecord> bad_records;
    // A record for which the compiled stylesheet gave another result than libxslt.
    std::optional<BadRecord> difference;

    // Adds the figures of another response that is part of the same page for people.
    void add(const RequestStats& other);
};

}  // namespace oai
