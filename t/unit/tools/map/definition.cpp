// SPDX-License-Identifier: MIT
#include "tools/map/definition.h"

#include <catch2/catch.hpp>

#include "base/config.h"

using namespace oai;
using namespace oai::mapping;

namespace {

constexpr const char* kSmall = "[items]\ntable = t\nkey = k\n[columns]\ntitle = a\n";

std::string why_not(const std::string& text) {
    try {
        parse_definition(text, "map.ini");
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

std::string refusal(const std::string& also) {
    try {
        parse_also(also);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("map.ini: what is printed is read again") {
    Definition d;
    d.table.text = "mag.\"My Table\"";
    d.key = {{"a"}, {"\"b, c\""}};
    d.where.text = "section = 'x'";
    d.datestamp.text = "changed";
    d.polled = true;
    d.also = {{{"mag.author"}, {}, {"article_id"}, {"position desc"}},
              {{"mag.author"}, {"editor"}, {"id = My Table.editor"}, {}}};
    d.columns = {{"title", {"title"}}, {"creator", {"author.name"}}, {"creator", {"editor.name"}}};
    d.sets = {{"section", {"section"}, {"label"}, {"Sections"}}, {"tag", {"tags"}, {}, {}}};
    const std::string printed = print_definition(d);
    const Definition read = parse_definition(printed, "map.ini");
    CHECK(print_definition(read) == printed);
    REQUIRE(read.key.size() == 2);
    CHECK(read.key[1].text == "\"b, c\"");
    CHECK(read.polled);
    REQUIRE(read.also.size() == 2);
    CHECK(read.also[0].as.text == "");
    CHECK(read.also[1].as.text == "editor");
    CHECK(read.also[1].table.text == "mag.author");
    CHECK(read.columns.size() == 3);
    REQUIRE(read.sets.size() == 2);
    CHECK(read.sets[0].title.text == "Sections");
}

TEST_CASE("map.ini: everything that is wrong is named with its line") {
    CHECK(why_not(kSmall) == "");
    CHECK(
        why_not(
            "[items]\ntable = t\ntable = u\nkey = k\nkeys = k\n[columns]\ntitle =\n[x]\ny = z\n") ==
        "map.ini:3: [items] table: given twice, first in line 2\n"
        "map.ini:5: [items] keys: unknown key; [items] has table, key, where, datestamp and "
        "changes\n"
        "map.ini:7: [columns] title: has no value\n"
        "map.ini:9: [x] y: unknown section; there are [items], [also TABLE], [columns] and [set "
        "LABEL]");
    CHECK(why_not("[items]\nchanges = soon\n") ==
          "map.ini:2: [items] changes: is wrong; right is triggers or poll");
    CHECK(why_not("[columns]\n") ==
          "[items] table: missing\n[items] key: missing\n[columns]: nothing would be given out");
    CHECK(why_not(std::string(kSmall) + "[also u]\norder = x\n[set s]\nname = n\n") ==
          "map.ini:7: [also u] join: missing\nmap.ini:9: [set s] column: missing");
}

TEST_CASE("map: --also has a table, its columns, another name and an order") {
    const Also plain = parse_also("mag.author(article_id)");
    CHECK(plain.table.text == "mag.author");
    CHECK(plain.join.text == "article_id");
    CHECK(plain.section() == "mag.author");
    const Also all = parse_also(" mag.\"T(x)\" (a = b, c = d) AS other Order By place desc, a ");
    CHECK(all.table.text == "mag.\"T(x)\"");
    CHECK(all.join.text == "a = b, c = d");
    CHECK(all.order.text == "place desc, a");
    CHECK(all.section() == "other");
    CHECK(refusal("mag.author") ==
          "--also mag.author: write it as 'TABLE(COLUMN) order by COLUMN'");
    CHECK(refusal("(a)") == "--also (a): the table or its column is missing");
}

TEST_CASE("map: names are split as SQL has them") {
    CHECK(split_name("mag.article") == std::vector<std::string>{"mag", "article"});
    CHECK(split_name("\"a.b\".\"say \"\"x\"\"\"") == std::vector<std::string>{"a.b", "say \"x\""});
    CHECK(split_name("full name") == std::vector<std::string>{"full name"});
    CHECK_THROWS_AS(split_name("a..b"), ConfigError);
}
