// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/harvest/list_walk.h"

using namespace oai::harvest;
using std::chrono::seconds;

TEST_CASE("converts from and until to the repository's granularity") {
    CHECK(from_argument("2024-02-03", true) == "2024-02-03T00:00:00Z");
    CHECK(until_argument("2024-02-03", true) == "2024-02-03T23:59:59Z");
    CHECK(from_argument("2024-02-03T04:05:06Z", true) == "2024-02-03T04:05:06Z");
    CHECK(from_argument("2024-02-03T04:05:06Z", false) == "2024-02-03");
    CHECK(until_argument("2024-02-03T04:05:06Z", false) == "2024-02-03");
    CHECK(from_argument("", true).empty());
    CHECK(from_argument("yesterday", false) == "yesterday");
}

TEST_CASE("the next harvest begins at the last responseDate or earlier") {
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{60}, true) == "2024-02-02T23:59:30Z");
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{0}, true) == "2024-02-03T00:00:30Z");
    CHECK(from_after("2024-02-03T12:00:00Z", seconds{60}, false) == "2024-02-03");
    CHECK(from_after("2024-02-03T00:00:30Z", seconds{60}, false) == "2024-02-02");
    CHECK(from_after("2024-02-03", seconds{0}, true) == "2024-02-03T00:00:00Z");
}

TEST_CASE("reads responseDates in the forms that repositories use") {
    CHECK(from_after("2024-02-03T04:05:06.789Z", seconds{0}, true) == "2024-02-03T04:05:06Z");
    CHECK(from_after("2024-02-03T04:05:06.123456789+02:00", seconds{0}, true) ==
          "2024-02-03T02:05:06Z");
    CHECK(from_after("2024-02-03T04:05:06-0130", seconds{0}, true) == "2024-02-03T05:35:06Z");
    CHECK(from_after("2024-02-03 04:05:06", seconds{0}, true) == "2024-02-03T04:05:06Z");
    for (const char* none : {"", "now", "2024-13-03T04:05:06Z", "2024-02-03T04:05:06 CET",
                             "2024-02-03T04:05", "2024-02-03T04:05:06+2:00"}) {
        CAPTURE(none);
        CHECK(from_after(none, seconds{0}, true).empty());
    }
}
