// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "store/record_cursor.h"

using namespace oai;

TEST_CASE("known lists: what was noted of a set and required columns, and everything always") {
    KnownLists known;
    CHECK(known.find({}) == ListSets{});
    ListQuery of_set, of_format, of_both;
    of_set.set = of_both.set = "a:b";
    of_format.required = of_both.required = {"marc"};
    CHECK_FALSE(known.find(of_set));
    known.note(of_set, {.set_id = 7, .required_id = {}});
    known.note(of_format, {.set_id = {}, .required_id = 8});
    known.note(of_both, {.set_id = 7, .required_id = 8});
    CHECK(known.find(of_set) == ListSets{.set_id = 7, .required_id = {}});
    CHECK(known.find(of_format) == ListSets{.set_id = {}, .required_id = 8});
    CHECK(known.find(of_both) == ListSets{.set_id = 7, .required_id = 8});
    for (int i = 0; i < 2000; ++i) {
        ListQuery other;
        other.set = "s" + std::to_string(i);
        known.note(other, {.set_id = i, .required_id = {}});
    }
    CHECK_FALSE(known.find(of_set));
}
