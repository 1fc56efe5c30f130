// SPDX-License-Identifier: MIT
// The plain values that travel through the corridor. Views point into the Slice they came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace oai {

// OAI-PMH 2.0, 2.5: the header of an item's record. identifier.h makes the identifier of its local_id.
struct Header {
    std::int64_t id = 0;   // oai.item.id
    std::int64_t seq = 0;  // publication number: the position in every list
    std::string_view local_id;
    Seconds datestamp{};
    bool deleted = false;
    std::span<const int> set_ids;  // its own, leaf sets
};

// One row of oai.set. spec is unique; ListSets lists ancestors too.
struct Set {
    int id = 0;
    std::string spec;
    std::string name;
    std::string description;  // XML content of <setDescription>, "" none; well-formed by the column's type xml
};

// What the database says of itself, read in one statement.
struct Horizon {
    Seconds h{};                 // everything up to this second is published
    std::int64_t last_seq = 0;   // lists show seq <= last_seq
    std::uint64_t epoch = 0;     // of the numbering
    Seconds earliest{};          // the first datestamp ever given out; h when there is none
    std::chrono::seconds lag{};  // by so much databases may be behind one another ([database] replica_lag_seconds)
};

// responseDate of every answer (README, honest datestamps): older is safe, newer is not.
inline Seconds response_date(const Horizon& horizon) { return horizon.h + std::chrono::seconds{1} - horizon.lag; }

}  // namespace oai
