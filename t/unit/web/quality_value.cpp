// SPDX-License-Identifier: MIT
#include "web/quality_value.h"

#include <catch2/catch.hpp>

using oai::quality_value;

TEST_CASE("quality value: read as thousandths") {
    CHECK(quality_value("") == 1000);
    CHECK(quality_value("level=1") == 1000);
    CHECK(quality_value("q=1") == 1000);
    CHECK(quality_value("q=1.000") == 1000);
    CHECK(quality_value("q=0.5") == 500);
    CHECK(quality_value("q=0.001") == 1);
    CHECK(quality_value("q=0") == 0);
    CHECK(quality_value("q=0.") == 0);
    CHECK(quality_value(";level=1; Q=0.25 ") == 250);
}

TEST_CASE("quality value: of several the smallest counts") {
    CHECK(quality_value("q=1;q=0.2") == 200);
    CHECK(quality_value("q=0;q=1") == 0);
}

TEST_CASE("quality value: a malformed value counts as 0") {
    for (const char* q : {"q=", "q=2", "q=1.5", "q=1.001", "q=0.0001", "q=-1", "q=.5", "q=0,5",
                          "q=01", "q=x", "q=0.x"}) {
        CAPTURE(q);
        CHECK(quality_value(q) == 0);
    }
}
