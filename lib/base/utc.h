// SPDX-License-Identifier: MIT
// Calendar times in UTC, to the second, in years 0001-9999: checked, read and printed. Leap seconds
// are refused. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai {

struct CalendarTime {
    int year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

// nullopt if there is no such day or time of day.
std::optional<Seconds> to_seconds(const CalendarTime& t);

// Exactly `count` decimal digits from s[at] on; nullopt if there are none so many, or others.
std::optional<int> digits_at(std::string_view s, std::size_t at, std::size_t count);

// YYYY-MM-DD: its first second. Nothing else is read.
std::optional<Seconds> parse_utc_day(std::string_view s);
// YYYY-MM-DDThh:mm:ssZ, nothing else.
std::optional<Seconds> parse_utc(std::string_view s);

// YYYY-MM-DDThh:mm:ssZ. A time outside the years 0001-9999, for which there is no such form, is
// printed as the nearest one inside.
std::string print_utc(Seconds t);
inline constexpr std::size_t kUtcBytes = 20;
char* put_utc(char* at, Seconds t);  // writes kUtcBytes bytes and returns their end

}  // namespace oai
