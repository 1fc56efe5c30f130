// SPDX-License-Identifier: MIT
#include "store/dictionary.h"

#include <catch2/catch.hpp>

using namespace oai;

TEST_CASE("dictionary: has the names that were added, and no others") {
    Dictionary dictionary;
    const std::vector<int> ids = {-7, 1, 2, 9};
    CHECK(dictionary.unknown(ids) == ids);
    dictionary.learn({{2, "arc", "two"}, {-7, "arc", "minus"}, {5, "host", ""}});
    CHECK(dictionary.unknown(ids) == std::vector<int>{1, 9});
    CHECK(dictionary.unknown({}).empty());
    const Names names = dictionary.names(ids);
    REQUIRE(names.find(2) != nullptr);
    CHECK(names.find(2)->text == "two");
    CHECK(names.find(2)->kind == "arc");
    CHECK(names.find(-7)->text == "minus");
    for (const int id : {1, 9, 5, 0, -8, 100})
        CHECK(names.find(id) == nullptr);  // 5 was not asked for
    CHECK(Names().find(1) == nullptr);
}

TEST_CASE("dictionary: a name keeps its address and its text while others are added") {
    Dictionary dictionary;
    dictionary.learn({{1, "host", "first"}});
    const std::vector<int> one = {1};
    const Names names = dictionary.names(one);
    const Name* before = names.find(1);
    std::vector<Dictionary::Row> many;
    for (int i = 1; i < 5000; ++i)
        many.push_back({i, i % 2 ? "host" : "arc", "n" + std::to_string(i)});
    dictionary.learn(many);
    CHECK(dictionary.names(one).find(1) == before);
    CHECK(before->text == "first");
    CHECK(before->kind == "host");
    CHECK(dictionary.unknown(one).empty());
}
