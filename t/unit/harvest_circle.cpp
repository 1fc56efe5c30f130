// SPDX-License-Identifier: MIT
#include "harvest/circle.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace oai::harvest;

namespace {

// After how many pages it is found that page n is followed by page n - length + 1; 0: not within 1,000 pages.
int found_after(int before, int length) {
    Circle circle;
    for (int i = 1; i <= 1000; ++i) {
        const int page = i <= before ? i : before + 1 + (i - before - 1) % length;
        if (circle.closes(static_cast<std::uint64_t>(page) * 7919)) return i;
    }
    return 0;
}

}  // namespace

TEST_CASE("a list that repeats one page is found out at once") {
    for (const int before : {0, 1, 2, 50, 500}) CHECK(found_after(before, 1) == before + 2);
}

TEST_CASE("a longer circle is found out before thrice its length") {
    for (int before = 0; before < 40; ++before)
        for (int length = 2; length < 40; ++length) {
            const int after = found_after(before, length);
            CAPTURE(before, length);
            CHECK(after > before + length);
            CHECK(after <= 3 * (before + length));
        }
}

TEST_CASE("a list that goes on is none") { CHECK(found_after(2000, 1) == 0); }

TEST_CASE("pages differ by what was asked, what came and where it goes on") {
    std::vector<Record> records(2);
    records[0].identifier = "a";
    const auto mark = page_mark("t", records, "u");
    CHECK(page_mark("t", records, "u") == mark);
    CHECK(page_mark("tu", records, "") != mark);
    CHECK(page_mark("t", {}, "u") != mark);
    records[1].datestamp = "2024-01-01";
    CHECK(page_mark("t", records, "u") != mark);
}
