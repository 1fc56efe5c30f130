// SPDX-License-Identifier: MIT
#include "datestamp.h"

#include <algorithm>
#include <cstring>

namespace oai {
namespace {

using namespace std::chrono;

constexpr std::size_t kDayLength = 10;     // YYYY-MM-DD
constexpr std::size_t kSecondLength = kDatestampBytes;  // YYYY-MM-DDThh:mm:ssZ
constexpr Seconds kFirst = sys_days{year{1} / 1 / 1};
constexpr Seconds kLast = sys_days{year{10000} / 1 / 1} - seconds{1};

// `count` digits from `at` on as a number; -1 if one of them is not a digit. REQUIRES: they lie inside s.
int number(std::string_view s, std::size_t at, std::size_t count) {
    int value = 0;
    for (const char c : s.substr(at, count)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

std::optional<Seconds> parse_day(std::string_view s) {
    const int y = number(s, 0, 4);
    const int m = number(s, 5, 2);
    const int d = number(s, 8, 2);
    if (y < 1 || m < 1 || d < 1 || s[4] != '-' || s[7] != '-') return std::nullopt;
    const year_month_day date{year{y}, month{static_cast<unsigned>(m)}, day{static_cast<unsigned>(d)}};
    if (!date.ok()) return std::nullopt;
    return sys_days{date};
}

std::optional<seconds> parse_time_of_day(std::string_view s) {  // Thh:mm:ssZ
    const int h = number(s, 1, 2);
    const int m = number(s, 4, 2);
    const int sec = number(s, 7, 2);
    if (s[0] != 'T' || s[3] != ':' || s[6] != ':' || s[9] != 'Z') return std::nullopt;
    if (h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 59) return std::nullopt;
    return hours{h} + minutes{m} + seconds{sec};
}

void put_pair(char* at, unsigned value) {  // REQUIRES: value < 100
    at[0] = static_cast<char>('0' + value / 10);
    at[1] = static_cast<char>('0' + value % 10);
}

}  // namespace

Seconds Datestamp::last() const {
    return granularity == Granularity::day ? first + days{1} - seconds{1} : first;
}

std::optional<Datestamp> parse_datestamp(std::string_view s) {
    if (s.size() != kDayLength && s.size() != kSecondLength) return std::nullopt;
    const auto date = parse_day(s.substr(0, kDayLength));
    if (!date) return std::nullopt;
    if (s.size() == kDayLength) return Datestamp{*date, Granularity::day};
    const auto time = parse_time_of_day(s.substr(kDayLength));
    if (!time) return std::nullopt;
    return Datestamp{*date + *time, Granularity::second};
}

char* put_datestamp(char* text, Seconds t) {
    t = std::clamp(t, kFirst, kLast);
    const sys_days midnight = floor<days>(t);
    const year_month_day date{midnight};
    const auto of_day = static_cast<unsigned>((t - midnight).count());
    const auto of_year = static_cast<unsigned>(static_cast<int>(date.year()));
    std::memcpy(text, "YYYY-MM-DDThh:mm:ssZ", kSecondLength);
    put_pair(text, of_year / 100);
    put_pair(text + 2, of_year % 100);
    put_pair(text + 5, static_cast<unsigned>(date.month()));
    put_pair(text + 8, static_cast<unsigned>(date.day()));
    put_pair(text + 11, of_day / 3600);
    put_pair(text + 14, of_day / 60 % 60);
    put_pair(text + 17, of_day % 60);
    return text + kSecondLength;
}

void append_datestamp(std::string& out, Seconds t) {
    char text[kSecondLength];
    put_datestamp(text, t);
    out.append(text, kSecondLength);
}

std::string print_datestamp(Seconds t) {
    std::string out;
    append_datestamp(out, t);
    return out;
}

}  // namespace oai
