// SPDX-License-Identifier: MIT
#include "tools/map/plan.h"

#include "base/config.h"
#include "t/lib/unit_headers.h"
#include "tools/map/script.h"

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
    return t;
}
Table author() {
    Table t;
    t.oid = "2";
    t.name = "mag.author";
    t.bare = "author";
    t.columns = {{"article_id", "integer", ""}, {"name", "text", ""}, {"place", "point", ""}};
    return t;
}

Plan plan_of(const std::string& text, const Table& items = article()) {
    return make_plan(
        parse_definition(text, "map.ini"),
        {[&](std::string_view name) -> std::optional<Table> {
             if (name == "mag.article") return items;
             if (name == "mag.author") return author();
             return std::nullopt;
         },
         [](std::string_view query_text) {  // as PostgreSQL prints it
             Query query;
             if (query_text.starts_with("select (")) {
                 query.text = std::string(query_text.substr(0, query_text.find(" as oai_value"))) +
                              " AS oai_value";
                 query.text.replace(0, 6, "SELECT");
                 query.columns = {{"oai_value", "text", ""}};
                 query.reads = {{"1", "mag.article", 'r', {"title"}}};
             }
             return query;
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

TEST_CASE("map: a table joins by the primary key, if it has its type, else by the key") {
    const Plan plan = plan_of(
        kItems + "[also mag.author]\njoin = article_id\n[columns]\ncreator = author.name\n");
    REQUIRE(plan.sources.size() == 2);
    REQUIRE(plan.sources[1].joins.size() == 1);
    CHECK(plan.sources[1].joins[0].other->column.name == "id");
    REQUIRE(plan.watches.size() == 2);
    CHECK(plan.watches[0].used == std::map<std::string, int>{{"doi", 3}});
    CHECK(plan.watches[1].used == std::map<std::string, int>{{"article_id", 5}});
    REQUIRE(plan.warnings.size() == 1);
    CHECK(plan.warnings[0] ==
          "mag.author is read whole for each item, for want of an index: create index on "
          "mag.author (\"article_id\")");
    CHECK(plan_of(kItems + "[also mag.author]\njoin = name\n[columns]\ntitle = title\n")
              .sources[1]
              .joins[0]
              .other->column.name == "doi");
}

TEST_CASE("map: what cannot be mapped is refused with what was meant") {
    CHECK(refusal("[items]\ntable = mag.articles\nkey = doi\n[columns]\ntitle = title\n") ==
          "map.ini:2: there is no table mag.articles");
    CHECK(refusal(kItems + "[columns]\ntitle = titel\ncreator = autor.name\n") ==
          "map.ini:5: mag.article has no column titel; there are id, doi, title, at, tags\n"
          "map.ini:6: autor.name: autor is no table of this mapping; name it by [also TABLE] "
          "(--also 'TABLE(COLUMN)')");
    CHECK(refusal("[items]\ntable = mag.article\nkey = title\n[columns]\nTitle = title\n") ==
          "map.ini:3: mag.article may have several rows with the same title, but an identifier has "
          "one item; create unique index on mag.article (title)\n"
          "map.ini:5: Title: the name of an element has small letters, digits and _");
    Table foreign = article();
    foreign.why_no_triggers = "has a partition that is a foreign table";
    const std::string map = kItems + "[columns]\ntitle = title\n";
    CHECK(refusal(map, foreign) ==
          "map.ini:2: mag.article has a partition that is a foreign table; write changes = poll "
          "(--changes poll), and run `oai map --poll` every few minutes");
    CHECK(refusal("[items]\nchanges = poll\n" + map.substr(8), foreign) == "");
}

TEST_CASE("map: what the library has a column for goes there, the rest into fields") {
    const Plan plan = plan_of(
        kItems +
        "[also mag.author]\njoin = article_id\norder = name\n[columns]\n"
        "title = title\ndate = at\ncreator = author.name\ncreator = title\ndoi = doi\ntags = tags\n"
        "at = at\n");
    CHECK(content(plan) ==
          R"(jsonb_build_object('title', nullif(array_remove(array[nullif("article"."title")"
          R"(::text, '')], null), '{}'), 'date', nullif(array_remove(array[nullif(oai.iso_time()"
          R"("article"."at" at time zone 'UTC', '"T"HH24:MI:SS"Z"'), '')], null), )"
          R"('{}'), 'creator', nullif(array(select nullif("author"."name"::text, '') from )"
          R"(mag.author "author" where "author"."article_id" = "article"."id" and )"
          R"(nullif("author"."name"::text, '') is not null order by name) || )"
          R"(array_remove(array[nullif("article"."title"::text, '')], null), '{}'), 'doi', )"
          R"((array_remove(array[nullif("article"."doi"::text, '')], null))[1], 'fields', )"
          R"(xmlconcat((select xmlagg(xmlelement(name "tags", v.v) order by v.o) from )"
          R"(unnest(array(select nullif(u.u::text, '') from unnest("article"."tags") with )"
          R"(ordinality u(u, o) order by u.o)) with )"
          R"(ordinality v(v, o)), (select xmlagg(xmlelement(name "at", v.v) order by v.o) from )"
          R"(unnest(array_remove(array[nullif(oai.iso_time("article"."at" at time zone 'UTC', )"
          R"('"T"HH24:MI:SS"Z"'), '')], null)) with ordinality v(v, o)))::text))");
}

TEST_CASE("map: a script has the names and texts of the map as SQL quotes them") {
    const std::string script = change_statement(map_json(plan_of(
        kItems + "where = title <> 'a'\n[columns]\ntitle = title\n[set x]\ncolumn = doi\n")));
    CHECK(script.starts_with("select oai.map_change('{"));
    CHECK_THAT(script, Contains("(title <> ''a''"));
    CHECK(script.find(R"("leads":["doi"])") != script.npos);
    CHECK(script.find(R"("labels":{"x":"x"})") != script.npos);
}
