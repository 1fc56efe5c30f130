// SPDX-License-Identifier: MIT
#include "tools/map/definition.h"

#include "base/config.h"
#include "t/lib/unit_headers.h"

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

TEST_CASE("map.ini: everything that is wrong is named with its line") {
    CHECK(why_not(kSmall) == "");
    CHECK(
        why_not(
            "[items]\ntable = t\ntable = u\nkey = k\nkeys = k\n[columns]\ntitle =\n[x]\ny = z\n") ==
        "map.ini:3: [items] table: given twice, first in line 2\n"
        "map.ini:5: [items] keys: unknown key; there are table, view, query, key, prefix, where, "
        "datestamp, again, changes\n"
        "map.ini:7: [columns] title: has no value\n"
        "map.ini:9: [x] y: unknown section; there are [items], [also TABLE], [columns], [set "
        "LABEL], [sets] and [deleted]");
    CHECK(why_not("[items]\ntable = t\nkey = k\nchanges = soon\n[columns]\ntitle = a\n") ==
          "map.ini:4: [items] changes: is wrong; right is triggers or poll");
    CHECK_THROWS(parse_definition(kSmall, "/etc/map.d/books.ini"));  // without a prefix
    CHECK(
        parse_definition("[items]\nprefix = b/\n" + std::string(kSmall), "map.d/books.ini").part ==
        "books");
    CHECK(why_not("[columns]\n") ==
          "[items] table: missing\n[items] key: missing\n[columns]: nothing would be given out");
    CHECK(why_not(std::string(kSmall) + "[also u]\norder = x\n[set s]\nname = n\n") ==
          "map.ini:7: [also u] join: missing\nmap.ini:9: [set s] column: missing");
}

TEST_CASE("map.ini: a query has several lines, and gives the columns") {
    const Definition d = parse_definition(
        "[items]\nquery = select 1 as a,\nquery = 2 as title\nkey = (a || ',' || b), c\n[also "
        "t]\nunwatched = yes\n"
        "[sets]\nview = v\nkey = a\nspec = s\n[sets x]\nquery = select 1\nkey = a\nspec = "
        "s\n[deleted]\ntable = g\nkey = a\n",
        "map.ini");
    CHECK(d.is_query());
    CHECK(d.items.source().text == "select 1 as a,\n2 as title");
    REQUIRE(split_list(d.key).size() == 2);
    CHECK(split_list(d.key)[0].text == "(a || ',' || b)");
    REQUIRE(d.rows.size() == 3);
    CHECK(d.rows[1].section == "sets x");
    CHECK(why_not("[items]\nview = v\nkey = a\n[sets]\nkey = b\n") ==
          "map.ini:5: [sets] view: missing");
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
    CHECK(split_name("mag.article") == Strings{"mag", "article"});
    CHECK(split_name("\"a.b\".\"say \"\"x\"\"\"") == Strings{"a.b", "say \"x\""});
    CHECK(split_name("full name") == Strings{"full name"});
    CHECK_THROWS_AS(split_name("a..b"), ConfigError);
}
