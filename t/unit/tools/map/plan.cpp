// SPDX-License-Identifier: MIT
#include "tools/map/plan.h"

#include <catch2/catch.hpp>

#include "base/config.h"
#include "tools/map/expressions.h"
#include "tools/map/script.h"

using namespace oai;
using namespace oai::mapping;

namespace {

Table article() {
    Table t;
    t.oid = "1";
    t.name = "mag.article";
    t.bare = "article";
    t.columns = {{"id", "integer", ""},
                 {"doi", "text", ""},
                 {"title", "text", ""},
                 {"at", "timestamp with time zone", ""},
                 {"tags", "text[]", "text"}};
    t.unique = t.indexes = {{"id"}, {"doi"}};
    t.parts = {{"mag.article", 'r'}};
    return t;
}
Table author() {
    Table t;
    t.oid = "2";
    t.name = "mag.author";
    t.bare = "author";
    t.columns = {{"article_id", "integer", ""}, {"name", "text", ""}, {"place", "point", ""}};
    t.foreign_keys = {{{"article_id"}, "1", {"id"}}};
    t.parts = {{"mag.author", 'r'}};
    return t;
}

Plan plan_of(const std::string& text, const Table& items = article()) {
    return make_plan(parse_definition(text, "map.ini"),
                     {[&](std::string_view name) -> std::optional<Table> {
                          if (name == "mag.article") return items;
                          if (name == "mag.author") return author();
                          return std::nullopt;
                      },
                      [] {
                          return std::vector<std::string>{"mag.article", "mag.author"};
                      }});
}
std::string refusal(const std::string& text, const Table& items = article()) {
    try {
        plan_of(text, items);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

const std::string kItems = "[items]\ntable = mag.article\nkey = doi\n";

}  // namespace

TEST_CASE("map: a table joins by its foreign key, else by the key") {
    const Plan plan = plan_of(
        kItems + "[also mag.author]\njoin = article_id\n[columns]\ncreator = author.name\n");
    REQUIRE(plan.sources.size() == 2);
    REQUIRE(plan.sources[1].joins.size() == 1);
    CHECK(plan.sources[1].joins[0].other == "id");
    CHECK_FALSE(plan.sources[1].is_single);
    CHECK(plan.sources[0].used == std::set<std::string>{"doi", "id"});
    REQUIRE(plan.warnings.size() == 1);
    CHECK(plan.warnings[0] ==
          "mag.author is read whole for each item, for want of an index: create "
          "index on mag.author (\"article_id\")");
    CHECK(plan_of(kItems + "[also mag.author]\njoin = name\n[columns]\ntitle = title\n")
              .sources[1]
              .joins[0]
              .other == "doi");
}

TEST_CASE("map: what cannot be mapped is refused with what was meant") {
    CHECK(refusal("[items]\ntable = mag.articles\nkey = doi\n[columns]\ntitle = title\n") ==
          "map.ini:2: there is no table mag.articles; is it mag.article?");
    CHECK(
        refusal(kItems + "[columns]\ntitle = titel\ncreator = autor.name\n") ==
        "map.ini:5: mag.article has no column titel; is it title?\n"
        "map.ini:6: autor.name: autor is no table of this mapping; name it by [also TABLE] (--also "
        "'TABLE(COLUMN)')");
    CHECK(refusal(
              "[items]\ntable = mag.article\nkey = title\n[columns]\nseq = id\nTitle = title\n") ==
          "map.ini:3: mag.article may have several rows with the same title, but an identifier has "
          "one item; create unique index on mag.article (title)\n"
          "map.ini:5: seq: every item has this already; choose another name\n"
          "map.ini:6: Title: the name of an element has small letters, digits and _");
    CHECK(refusal(kItems + "[also mag.author]\njoin = place\n[columns]\ntitle = title\n") ==
          "map.ini:5: place: no table is joined by the type point");
    CHECK(refusal(kItems + "[columns]\ntitle = title\n[set a b]\ncolumn = title\n") ==
          "map.ini:7: [set a b]: a setSpec has A-Za-z0-9-_.!~*'()");
    Table foreign = article();
    foreign.parts = {{"mag.article", 'p'}, {"mag.far", 'f'}};
    const std::string map = kItems + "[columns]\ntitle = title\n";
    CHECK(
        refusal(map, foreign) ==
        "map.ini:2: mag.article has a partition that is a foreign table, whose changes PostgreSQL "
        "does not tell; write changes = poll (--changes poll), and run `oai map --poll` every few "
        "minutes");
    CHECK(refusal("[items]\nchanges = poll\n" + map.substr(8), foreign) == "");
}

TEST_CASE(
    "map: elements of Dublin Core are lists of text, others have the types of their columns") {
    const Plan plan = plan_of(
        kItems +
        "[also mag.author]\njoin = article_id\norder = name\n[columns]\n"
        "title = title\ndate = at\ncreator = author.name\ntags = tags\nat = at\nx_id = id\n");
    const auto value = [&](std::size_t i) { return element_value(plan, plan.elements[i]); };
    CHECK(value(0) == R"(array_remove(array[nullif("article"."title"::text, '')], null))");
    CHECK(value(1) == R"(array_remove(array[nullif(to_char("article"."at" at time zone 'UTC', )"
                      R"('YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')], null))");
    CHECK(value(2) ==
          R"(array(select nullif("author"."name"::text, '') from mag.author "author" where )"
          R"("author"."article_id" = "article"."id" and nullif("author"."name"::text, '') is )"
          R"(not null order by "author"."name"))");
    CHECK(value(3) == R"("article"."tags"::text[])");
    CHECK(value(4) == R"("article"."at"::timestamp with time zone)");
    CHECK(value(5) == R"("article"."id"::text)");  // an integer would mean a name of oai.dictionary
}

TEST_CASE("map: templates are filled in, and what is filled in is not looked at again") {
    CHECK(fill_in("a @b@ @c@.", {{"b", "@c@"}, {"c", "d"}}) == "a @c@ d.");
    CHECK_THROWS_AS(fill_in("@x@", {}), std::logic_error);
    const std::string script = structure_script(
        plan_of(kItems + "where = title <> 'a@b'\n[columns]\ntitle = title\n"), {1}, false);
    CHECK(script.find("(title <> 'a@b')") != script.npos);
    CHECK(script.find("alter table oai.item drop column key_1") != script.npos);
    CHECK(script.find("array[x.\"doi\"::text] from changed x") != script.npos);
}
