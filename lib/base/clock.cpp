// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <algorithm>
#include <cstring>

namespace oai {
namespace {

using namespace std::chrono;

constexpr std::size_t kDayBytes = 10;  // YYYY-MM-DD
constexpr int kFirstYear = 1, kLastYear = 9999;
constexpr Seconds kFirst = sys_days{year{kFirstYear} / 1 / 1};
constexpr Seconds kLast = sys_days{year{kLastYear + 1} / 1 / 1} - seconds{1};

// The date at the start of s, which is at least kDayBytes long.
std::optional<CalendarTime> read_day(std::string_view s) {
    const auto y = digits_at(s, 0, 4), m = digits_at(s, 5, 2), d = digits_at(s, 8, 2);
    if (!y || !m || !d || s[4] != '-' || s[7] != '-') return std::nullopt;
    return CalendarTime{.year = *y, .month = *m, .day = *d};
}

void put_pair(char* at, unsigned value) {  // REQUIRES: value < 100
    at[0] = static_cast<char>('0' + value / 10);
    at[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

std::optional<Seconds> to_seconds(const CalendarTime& t) {
    const auto is_within = [](int value, int min, int max) { return value >= min && value <= max; };
    if (!is_within(t.year, kFirstYear, kLastYear) || !is_within(t.month, 1, 12) ||
        !is_within(t.day, 1, 31) || !is_within(t.hour, 0, 23) || !is_within(t.minute, 0, 59) ||
        !is_within(t.second, 0, 59))
        return std::nullopt;
    const year_month_day date{year{t.year}, month{static_cast<unsigned>(t.month)},
                              day{static_cast<unsigned>(t.day)}};
    if (!date.ok()) return std::nullopt;
    return sys_days{date} + hours{t.hour} + minutes{t.minute} + seconds{t.second};
}

std::optional<int> digits_at(std::string_view s, std::size_t at, std::size_t count) {
    if (at > s.size() || s.size() - at < count) return std::nullopt;
    int value = 0;
    for (const char c : s.substr(at, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

std::optional<Seconds> parse_utc_day(std::string_view s) {
    if (s.size() != kDayBytes) return std::nullopt;
    const auto day = read_day(s);
    return day ? to_seconds(*day) : std::nullopt;
}

std::optional<Seconds> parse_utc(std::string_view s) {
    if (s.size() != kUtcBytes) return std::nullopt;
    auto t = read_day(s);
    const auto h = digits_at(s, 11, 2), m = digits_at(s, 14, 2), sec = digits_at(s, 17, 2);
    if (!t || !h || !m || !sec || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z')
        return std::nullopt;
    t->hour = *h;
    t->minute = *m;
    t->second = *sec;
    return to_seconds(*t);
}

char* put_utc(char* at, Seconds t) {
    t = std::clamp(t, kFirst, kLast);
    const sys_days midnight = floor<days>(t);
    const year_month_day date{midnight};
    const auto of_day = static_cast<unsigned>((t - midnight).count());
    const auto of_year = static_cast<unsigned>(static_cast<int>(date.year()));
    std::memcpy(at, "YYYY-MM-DDThh:mm:ssZ", kUtcBytes);
    put_pair(at, of_year / 100);
    put_pair(at + 2, of_year % 100);
    put_pair(at + 5, static_cast<unsigned>(date.month()));
    put_pair(at + 8, static_cast<unsigned>(date.day()));
    put_pair(at + 11, of_day / 3600);
    put_pair(at + 14, of_day / 60 % 60);
    put_pair(at + 17, of_day % 60);
    return at + kUtcBytes;
}

std::string print_utc(Seconds t) {
    char text[kUtcBytes];
    return {text, put_utc(text, t)};
}

}  // namespace oai
