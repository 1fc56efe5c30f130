// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <string>

#include "pg/binary.h"

namespace {

constexpr char kColumns[] = "a, b";
constexpr auto kText = oai::pg::joined("copy t (", kColumns, ", c) from stdin");
constexpr auto kEmpty = oai::pg::joined("", "");

}  // namespace

TEST_CASE("joined: string literals are concatenated and end with NUL") {
    CHECK(std::string(kText.data()) == "copy t (a, b, c) from stdin");
    CHECK(kText.size() == std::string(kText.data()).size() + 1);
    CHECK(std::string(kEmpty.data()).empty());
}
