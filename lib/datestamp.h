// SPDX-License-Identifier: MIT
// UTCdatetime as OAI-PMH 2.0, 3.3 has it: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. The repository's granularity is
// seconds; a day is accepted in from and until.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai {

enum class Granularity { day, second };

struct Datestamp {
    Seconds first;  // the first second it means: of a day, 00:00:00
    Granularity granularity;
    // The last second it means: of a day, 23:59:59 (so until=D means the whole day).
    Seconds last() const;
    bool operator==(const Datestamp&) const = default;
};

// Exactly the two forms above, years 0001-9999, real calendar dates, no leap second; all else is nullopt.
std::optional<Datestamp> parse_datestamp(std::string_view s);

// Always the form with seconds. A time outside the years 0001-9999, for which there is no form, is printed as the
// nearest one inside: PostgreSQL has years beyond 9999, and an answer must not stop at one.
std::string print_datestamp(Seconds t);              // 2026-11-21T23:28:23Z
void append_datestamp(std::string& out, Seconds t);  // the same without a temporary
inline constexpr std::size_t kDatestampBytes = 20;
char* put_datestamp(char* at, Seconds t);            // the same to memory; returns its end

}  // namespace oai
