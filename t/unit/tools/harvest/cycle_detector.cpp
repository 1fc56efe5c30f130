// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <vector>

#include "tools/harvest/list_walk.h"

using namespace oai::harvest;

namespace {

// After how many pages it is found that page n is followed by page n - length + 1; 0: not within
// 1,000 pages.
int found_after(int before, int length) {
    CycleDetector cycle;
    for (int i = 1; i <= 1000; ++i) {
        const int page = i <= before ? i : before + 1 + (i - before - 1) % length;
        if (cycle.closes_cycle(static_cast<std::uint64_t>(page) * 7919)) return i;
    }
    return 0;
}

}  // namespace

TEST_CASE("detects a repeated page at once") {
    for (const int before : {0, 1, 2, 50, 500}) CHECK(found_after(before, 1) == before + 2);
}

TEST_CASE("detects a longer cycle within three times its length") {
    for (int before = 0; before < 40; ++before)
        for (int length = 2; length < 40; ++length) {
            const int after = found_after(before, length);
            CAPTURE(before, length);
            CHECK(after > before + length);
            CHECK(after <= 3 * (before + length));
        }
}

TEST_CASE("finds no cycle in a list that makes progress") { CHECK(found_after(2000, 1) == 0); }

TEST_CASE("page_hash depends on request token, records and next token") {
    std::vector<Record> records(2);
    records[0].identifier = "a";
    const auto mark = page_hash("t", records, "u");
    CHECK(page_hash("t", records, "u") == mark);
    CHECK(page_hash("tu", records, "") != mark);
    CHECK(page_hash("t", {}, "u") != mark);
    records[1].datestamp = "2024-01-01";
    CHECK(page_hash("t", records, "u") != mark);
}
