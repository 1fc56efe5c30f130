// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include "t/lib/unit_headers.h"

TEST_CASE("utc: times are read and printed to the second") {
    for (const char* time : {"2026-11-21T23:28:23Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
                             "2000-02-29T12:00:00Z", "9999-12-31T23:59:59Z"}) {
        CAPTURE(time);
        REQUIRE(parse_utc(time));
        CHECK(print_utc(*parse_utc(time)) == time);
    }
    CHECK(parse_utc("1970-01-01T00:01:40Z")->time_since_epoch().count() == 100);
    for (const char* bad :
         {"", "2026-11-21", "2026-11-21T23:28:23", "2026-11-21T23:28:23+00", "2026-11-21T23:28:60Z",
          "2026-11-21T24:00:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
          "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "0000-01-01T00:00:00Z",
          "2026-1 -01T00:00:00Z", "2026-01-01T-1:00:00Z", "+026-01-01T00:00:00Z",
          "2026-01-01 00:00:00Z", "2026-01-01T00:00:00z"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_utc(bad));
    }
}

TEST_CASE("utc: a day is read as its first second, and nothing else is read as a day") {
    CHECK(parse_utc_day("2026-11-21") == parse_utc("2026-11-21T00:00:00Z"));
    for (const char* bad : {"", "2026-11-2", "2026-11-211", "2026-02-29", "2026/11/21",
                            "0000-01-01", "2026-11-21T00:00:00Z"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_utc_day(bad));
    }
}

TEST_CASE("utc: a time outside the years 0001-9999 is printed as the nearest one inside") {
    using namespace std::chrono;
    CHECK(print_utc(sys_days(year(10000) / 1 / 1)) == "9999-12-31T23:59:59Z");
    CHECK(print_utc(sys_days(year(-1) / 1 / 1)) == "0001-01-01T00:00:00Z");
}

TEST_CASE("utc: parts that are out of range give no time") {
    const CalendarTime good{2026, 11, 21, 23, 59, 59};
    REQUIRE(to_seconds(good));
    const auto with = [&](int CalendarTime::*part, int value) {
        CalendarTime t = good;
        t.*part = value;
        return to_seconds(t);
    };
    for (const auto part : {&CalendarTime::hour, &CalendarTime::minute, &CalendarTime::second}) {
        CHECK_FALSE(with(part, -1));
        CHECK_FALSE(with(part, 60));
    }
    for (const auto part : {&CalendarTime::month, &CalendarTime::day, &CalendarTime::year})
        for (const int value : {-1, 0, 10'000}) CHECK_FALSE(with(part, value));
    CHECK_FALSE(with(&CalendarTime::hour, 24));
    CHECK(with(&CalendarTime::year, 9999));
}

TEST_CASE("utc: reads exactly the given number of digits at a position") {
    CHECK(digits_at("x042y", 1, 3) == 42);
    CHECK(digits_at("42", 0, 2) == 42);
    CHECK_FALSE(digits_at("42", 0, 3));
    CHECK_FALSE(digits_at("42", 3, 1));
    CHECK_FALSE(digits_at("4x", 0, 2));
    CHECK_FALSE(digits_at("+1", 0, 2));
}
