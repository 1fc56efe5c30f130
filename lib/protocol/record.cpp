// SPDX-License-Identifier: MIT
#include "protocol/record.h"

namespace oai {
Seconds Datestamp::last() const {
    using namespace std::chrono;
    return granularity == Granularity::day ? first + days{1} - seconds{1} : first;
}

std::optional<Datestamp> parse_datestamp(std::string_view s) {
    if (const auto day = parse_utc_day(s)) return Datestamp{*day, Granularity::day};
    if (const auto second = parse_utc(s)) return Datestamp{*second, Granularity::second};
    return std::nullopt;
}

void append_datestamp(std::string& out, Seconds t) {
    char text[kUtcBytes];
    put_utc(text, t);
    out.append(text, kUtcBytes);
}

std::string print_datestamp(const std::optional<Seconds>& t) {
    return t ? print_datestamp(*t) : std::string();
}

std::string print_datestamp(Seconds t) { return print_utc(t); }

}  // namespace oai
