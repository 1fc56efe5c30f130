// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "pg/binary.h"

using namespace oai;

TEST_CASE("text format: an array's elements are quoted, quotes and backslashes escaped") {
    CHECK(pg::array_literal({}) == "{}");
    CHECK(pg::array_literal({"a"}) == R"({"a"})");
    CHECK(pg::array_literal({"", "NULL", "a,b {c}"}) == R"({"","NULL","a,b {c}"})");
    CHECK(pg::array_literal({R"(\)", R"(a"b\"c)"}) == R"({"\\","a\"b\\\"c"})");
    CHECK(pg::int_array_literal({}) == "{}");
    CHECK(pg::int_array_literal(std::vector{1, -7, 30}) == "{1,-7,30}");
}
