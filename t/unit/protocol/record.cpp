// SPDX-License-Identifier: MIT
#include "protocol/record.h"

#include <cstdio>
#include <ctime>

#include "base/text.h"
#include "t/lib/unit_headers.h"

using std::chrono::seconds;

namespace {

// An independent calculation by the C library.
Seconds by_timegm(int y, int mon, int d, int h = 0, int min = 0, int s = 0) {
    std::tm tm{};
    tm.tm_year = y - 1900;
    tm.tm_mon = mon - 1;
    tm.tm_mday = d;
    tm.tm_hour = h;
    tm.tm_min = min;
    tm.tm_sec = s;
    return Seconds{seconds{::timegm(&tm)}};
}

std::string text_of(const char* form, int a, int b, int c) {
    char out[64];
    std::snprintf(out, sizeof out, form, a, b, c);
    return out;
}

int days_of(int y, int m) {
    if (m == 2) return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) ? 29 : 28;
    return m == 4 || m == 6 || m == 9 || m == 11 ? 30 : 31;
}

}  // namespace

TEST_CASE("datestamp: all days 00-32 of all months 00-13 of many years, compared with timegm") {
    int wrong = 0;
    int real = 0;
    for (const int y :
         {0,    1,    2,    4,    99,   100,  400,  1600, 1899, 1900, 1969, 1970, 1996,
          1999, 2000, 2001, 2002, 2004, 2023, 2024, 2026, 2038, 2100, 2400, 9996, 9999}) {
        for (int m = 0; m <= 13; ++m) {
            for (int d = 0; d <= 32; ++d) {
                const std::string day = text_of("%04d-%02d-%02d", y, m, d);
                const bool is_real = y > 0 && m >= 1 && m <= 12 && d >= 1 && d <= days_of(y, m);
                const auto as_day = parse_datestamp(day);
                const auto as_second = parse_datestamp(day + "T12:34:56Z");
                if (as_day.has_value() != is_real || as_second.has_value() != is_real) ++wrong;
                if (!is_real || !as_day || !as_second) continue;
                ++real;
                wrong += *as_day != Datestamp{by_timegm(y, m, d), Granularity::day};
                wrong +=
                    *as_second != Datestamp{by_timegm(y, m, d, 12, 34, 56), Granularity::second};
                wrong += as_day->last() != by_timegm(y, m, d, 23, 59, 59);
                wrong += as_second->last() != as_second->first;
                wrong += print_datestamp(as_second->first) != day + "T12:34:56Z";
                wrong += print_datestamp(as_day->first) != day + "T00:00:00Z";
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(real ==
          25 * 365 + 9);  // leap: 4, 400, 1600, 1996, 2000, 2004, 2024, 2400, 9996; year 0 is none
}

TEST_CASE("datestamp: all hours 00-29, minutes and seconds 00-69") {
    int wrong = 0;
    for (int h = 0; h < 30; ++h) {
        for (int m = 0; m < 70; ++m) {
            for (int s = 0; s < 70; ++s) {
                const std::string text = "2026-11-21" + text_of("T%02d:%02d:%02dZ", h, m, s);
                const auto parsed = parse_datestamp(text);
                const bool is_real = h < 24 && m < 60 && s < 60;
                wrong += parsed.has_value() != is_real;
                if (!parsed || !is_real) continue;
                wrong += parsed->first != by_timegm(2026, 11, 21, h, m, s);
                wrong += print_datestamp(parsed->first) != text;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("datestamp: a text in neither of the two forms is rejected") {
    const std::string right = "2026-11-21T23:28:23Z";
    for (const std::string_view bad : text::split(
             "|2026|2026-11|2026-11-|2026-11-1|2026-1-21|26-11-21|20261121|2026/11/21|2026-11-21 | "
             "2026-11-21|2026-11-21Z|2026-11-21T|+026-11-21|-026-11-21|2026-+1-21|2026-11-+1|2026- "
             "1-21|2026-11- "
             "1|12026-11-21|2026-325|2026-W47-6|21-11-2026|2026-11-21T23:28Z|2026-11-21T23:28:23|"
             "2026-11-21T23:28:23z|2026-11-21t23:28:23Z|2026-11-21 "
             "23:28:23Z|2026-11-21T23:28:23.0Z|2026-11-21T23:28:23,5Z|2026-11-21T23:28:23+00:00|"
             "2026-11-21T23:28:23-01|2026-11-21T232823Z|2026-11-21T23-28-23Z|2026-11-21T24:00:00Z|"
             "2026-12-31T23:59:60Z|2026-11-21T23:28:23ZZ|2026-11-21T23:28:23Z |2026-11-21T23:28:2 "
             "Z|2026-11-21T+3:28:23Z|2026-11-21T23:-8:23Z|0000-01-01|0000-01-01T00:00:00Z|99999-01-"
             "01|2026-02-29|2026-02-30|1900-02-29|2026-00-10|2026-13-10|2026-11-31|2026-11-00|"
             "today|infinity|-infinity|epoch|\xEF\xBC\x92"
             "026-11-2|2026-11-2\xC2",
             '|')) {
        CAPTURE(bad);
        CHECK_FALSE(parse_datestamp(bad));
    }
    CHECK_FALSE(parse_datestamp(std::string_view("2026-11-21\0", 11)));
    CHECK_FALSE(parse_datestamp(std::string_view("2026-11-2\0", 10)));
    REQUIRE(parse_datestamp(right));
}

TEST_CASE("datestamp: a valid one with any byte replaced is another valid one or is rejected") {
    for (const std::string right : {"2026-11-21T12:18:13Z", "2026-11-21"}) {
        for (std::size_t at = 0; at < right.size(); ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text = right;
                text[at] = static_cast<char>(byte);
                const auto parsed = parse_datestamp(text);
                if (!parsed) continue;
                const std::string printed = print_datestamp(parsed->first);
                REQUIRE(printed.substr(0, text.size()) == text);
                REQUIRE((byte >= '0' && byte <= '9') == (right[at] >= '0' && right[at] <= '9'));
            }
        }
    }
}

TEST_CASE("datestamp: printing keeps the form for the earliest and latest times") {
    CHECK(print_datestamp(by_timegm(2026, 11, 21, 23, 28, 23)) == "2026-11-21T23:28:23Z");
    CHECK(print_datestamp(Seconds{}) == "1970-01-01T00:00:00Z");
    CHECK(print_datestamp(Seconds{seconds{-1}}) == "1969-12-31T23:59:59Z");
    CHECK(print_datestamp(by_timegm(1, 1, 1)) == "0001-01-01T00:00:00Z");
    CHECK(print_datestamp(by_timegm(9999, 12, 31, 23, 59, 59)) == "9999-12-31T23:59:59Z");
    CHECK(print_datestamp(by_timegm(10000, 1, 1)) == "9999-12-31T23:59:59Z");
    CHECK(print_datestamp(by_timegm(1, 1, 1) - seconds{1}) == "0001-01-01T00:00:00Z");
    CHECK(print_datestamp(Seconds::max()) == "9999-12-31T23:59:59Z");
    CHECK(print_datestamp(Seconds::min()) == "0001-01-01T00:00:00Z");
}
