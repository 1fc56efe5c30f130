// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/harvest/list_walk.h"

using namespace oai::harvest;

namespace {

Record record(const std::string& identifier, const std::string& datestamp,
              std::vector<std::string> sets = {}) {
    return {.identifier = identifier,
            .datestamp = datestamp,
            .set_specs = std::move(sets),
            .metadata = {},
            .abouts = {}};
}

}  // namespace

TEST_CASE("record counter: records of other sets, and of none where others name theirs") {
    const ListSelection list{"oai_dc", "a:b", "", ""};
    ListCounts counts;
    RecordCounter counter;
    counter.count(record("0", "2024"), list, "", counts);
    CHECK(counts.outside_set() == 0);  // a repository may leave all setSpecs out
    counter.count(record("1", "2024", {"x", "a:b"}), list, "", counts);
    counter.count(record("2", "2024", {"a:b:c"}), list, "", counts);
    CHECK(counts.in_set == 2);
    CHECK(counts.outside_set() == 1);
    counter.count(record("3", "2024", {"a", "a:bc", "b"}), list, "", counts);
    CHECK(counts.outside_set() == 2);
    CHECK(counter.examples().outside_set == "0");
}

TEST_CASE("record counter: records before from and after until, in both granularities") {
    const auto outside = [](const char* from, const char* until, const char* datestamp) {
        ListCounts counts;
        RecordCounter().count(record("1", datestamp), {"oai_dc", "", from, until}, "", counts);
        return counts.outside_dates == 1;
    };
    CHECK(outside("2024-01-02", "", "2024-01-01"));
    CHECK_FALSE(outside("2024-01-02", "", "2024-01-02T00:00:00Z"));
    CHECK_FALSE(outside("2024-01-02T12:00:00Z", "", "2024-01-02"));  // some of that day
    CHECK(outside("2024-01-02T12:00:00Z", "", "2024-01-02T11:59:59Z"));
    CHECK_FALSE(outside("", "2024-01-02", "2024-01-02T23:59:59Z"));
    CHECK(outside("", "2024-01-02", "2024-01-03T00:00:00Z"));
    CHECK_FALSE(outside("2024-01-02", "2024-01-02", "yesterday"));
    CHECK_FALSE(outside("", "", "0001-01-01"));
}

TEST_CASE("record counter: the same record again, but not with another datestamp") {
    ListCounts counts;
    RecordCounter counter;
    for (int i = 0; i < 10'000; ++i)
        counter.count(record(std::to_string(i), "2024-01-01"), {}, "", counts);
    CHECK(counts.repeated == 0);
    counter.count(record("7", "2024-01-02"), {}, "", counts);
    CHECK(counts.repeated == 0);
    counter.count(record("7", "2024-01-01"), {}, "", counts);
    counter.count(record("9999", "2024-01-01"), {}, "", counts);
    CHECK(counts.repeated == 2);
    CHECK(counts.moved == 3);  // signs that the list moved
    CHECK(counter.examples().repeated == "7");
}

TEST_CASE("record counter: counts are read from what was written of them") {
    const ListCounts counts{1, 2, 3, 4, 5, 6};
    CHECK(read_counts(counts_text(counts)) == counts);
    CHECK(read_counts("{}") == ListCounts{});
}
