// SPDX-License-Identifier: MIT
// What copy_writer.h has besides the writer, without a database.
#include <catch2/catch.hpp>
#include <string>

#include "pg/copy_writer.h"

using namespace oai;

namespace {

constexpr char kColumns[] = "a, b";
constexpr auto kText = oai::pg::joined("copy t (", kColumns, ", c) from stdin");
constexpr auto kEmpty = oai::pg::joined("", "");

std::string copied(std::string_view value) {
    std::string out;
    pg::append_copy_text(out, value);
    return out;
}

}  // namespace

TEST_CASE("joined: string literals are concatenated and end with NUL") {
    CHECK(std::string(kText.data()) == "copy t (a, b, c) from stdin");
    CHECK(kText.size() == std::string(kText.data()).size() + 1);
    CHECK(std::string(kEmpty.data()).empty());
}

TEST_CASE(
    "text format: separators and backslashes are escaped for COPY, everything else is unchanged") {
    CHECK(copied("") == "");
    CHECK(copied("a\tb\nc\rd\\e") == R"(a\tb\nc\rd\\e)");
    CHECK(copied("\\N") == R"(\\N)");
    CHECK(copied("č \"x\" {1,2}") == "č \"x\" {1,2}");
    CHECK(copied("\n") == "\\n");
}
