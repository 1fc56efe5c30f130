// SPDX-License-Identifier: MIT
// UTCdatetime of OAI-PMH 2.0, 3.3: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. The repository's
// granularity is seconds; a day is accepted in from and until.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/utc.h"

namespace oai {

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

}  // namespace oai
