// SPDX-License-Identifier: MIT
// Plain values of the protocol. Views point into the RecordBatch that they come from.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai {

// A UTCdatetime (OAI-PMH 2.0, 3.3): YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. The repository's
// granularity is seconds; days are accepted in from and until.

enum class Granularity { day, second };

struct Datestamp {
    Seconds first;  // the first second it covers; for a day, 00:00:00
    Granularity granularity;
    // The last second it covers; for a day, 23:59:59, so that until=D includes the whole day.
    Seconds last() const {
        using namespace std::chrono;
        return granularity == Granularity::day ? first + days{1} - seconds{1} : first;
    }
    bool operator==(const Datestamp&) const = default;
};

// Parses exactly the two forms above; nullopt for anything else.
inline std::optional<Datestamp> parse_datestamp(std::string_view s) {
    if (const auto day = parse_utc_day(s)) return Datestamp{*day, Granularity::day};
    if (const auto second = parse_utc(s)) return Datestamp{*second, Granularity::second};
    return std::nullopt;
}

// Prints the form with seconds, "" for no time.
inline std::string print_datestamp(Seconds t) { return print_utc(t); }
inline std::string print_datestamp(const std::optional<Seconds>& t) {
    return t ? print_utc(*t) : std::string();
}

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
