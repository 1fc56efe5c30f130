// SPDX-License-Identifier: MIT
// Plain values that the store returns and verbs and formats use. Views point into the RecordBatch
// that they come from.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace oai {

// UTCdatetime of OAI-PMH 2.0, 3.3: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. The repository's
// granularity is seconds; a day is accepted in from and until.

enum class Granularity { day, second };

struct Datestamp {
    Seconds first;  // the first second it covers; for a day, 00:00:00
    Granularity granularity;
    // The last second it covers; for a day, 23:59:59, so that until=D includes the whole day.
    Seconds last() const;
    bool operator==(const Datestamp&) const = default;
};

// Reads exactly the two forms above, for existing dates in the years 0001-9999, without leap
// seconds. Returns nullopt for anything else.
std::optional<Datestamp> parse_datestamp(std::string_view s);

// Prints the form with seconds, as put_utc() does. Times beyond the year 9999, which PostgreSQL
// has, are printed too, since a response must not fail because of one.
std::string print_datestamp(Seconds t);                        // 2026-11-21T23:28:23Z
void append_datestamp(std::string& out, Seconds t);            // the same without a temporary
std::string print_datestamp(const std::optional<Seconds>& t);  // "" if there is none

// The header of a record (OAI-PMH 2.0, 2.5). identifier.h makes the identifier from local_id.
struct Header {
    std::int64_t id = 0;   // oai.item.id
    std::int64_t seq = 0;  // publication number, which orders every list
    std::string_view local_id;
    Seconds datestamp{};
    bool deleted = false;
    std::span<const int> set_ids;  // the leaf sets of the item, without their ancestors
};

// One row of oai.set. spec is unique; ListSets lists ancestors too.
struct Set {
    int id = 0;
    std::string spec;
    std::string name;
    // XML content of <setDescription>, or "". It is well-formed, since the column has type xml.
    std::string description;
};

// The state of the repository, as it was when a statement read it.
struct Horizon {
    Seconds h{};                // all changes up to this second are published
    std::int64_t last_seq = 0;  // lists show seq <= last_seq
    std::uint64_t epoch = 0;  // of the publication numbers; a new one invalidates resumptionTokens
    // The first datestamp ever assigned; h if there is none. Only Store::horizon() reads it.
    std::optional<Seconds> earliest{};
    std::chrono::seconds lag{};  // how far replicas may be behind ([database] replica_lag_seconds)
};

// The responseDate of every response. Harvesters use it as their next `from`, so it may be too
// early but never too late, or they would miss records.
inline Seconds response_date(const Horizon& horizon) {
    return horizon.h + std::chrono::seconds{1} - horizon.lag;
}

}  // namespace oai
