// SPDX-License-Identifier: MIT
// What pages for people ask, over the real schema: the answers are what plain SQL says, estimates
// nearly so.
#include "store/browse_queries.h"

#include "protocol/record.h"
#include "t/lib/publish.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

namespace {

constexpr Seconds kFirst = std::chrono::sys_days(std::chrono::year(2020) / 1 / 1);

// 12,000 docs, 1,000 to a second; two thirds below dom:cz, in runs of 500 so that the sets are
// uneven in time.
constexpr const char* kDocs = R"(
    insert into webarchiv.domain (name) values ('cz:etv24:www'), ('cz:webarchiv'), ('ee:kool');
    insert into webarchiv.mimetype (name) values ('text:html');
    insert into webarchiv.collection (name, title) select 'c' || lpad(g::text, 3, '0'), 'C ' || g from generate_series(1, 120) g;
    insert into webarchiv.doc (id, archived_time, url, surt, digest, datestamp, id_domain, id_mimetype)
    select g, timestamptz '2007-01-01Z', 'http://x/' || g, 'x)/' || g, 'd' || g,
           timestamptz '2020-01-01Z' + (g - 1) / 1000 * interval '1 second',
           (select id from webarchiv.domain
            where name = case g / 500 % 3 when 0 then 'ee:kool' when 1 then 'cz:webarchiv' else 'cz:etv24:www' end),
           (select id from webarchiv.mimetype where name = 'text:html')
    from generate_series(1, 12000) g;
    analyze;
)";

// Some are changed once more: their numbers leave gaps behind them.
constexpr const char* kChanges =
    "update webarchiv.doc set digest = 'new' where id between 2001 and 3000 and id % 4 <> 0";

TestDb& filled() {
    static std::unique_ptr<TestDb> db = [] {
        auto made = std::make_unique<TestDb>("survey");
        made->install_schema();
        made->run(kDocs);
        publish_all(*made, 20000);
        made->run(kChanges);
        publish_all(*made, 20000);
        return made;
    }();
    return *db;
}

Store& store() {
    static Store store([] {
        StoreOptions o;
        o.pool.conninfo = filled().conninfo("oai_reader");
        o.pool.application_name = "survey-test";
        return o;
    }());
    return store;
}

std::string specs(const std::vector<SetNode>& nodes) {
    std::string all;
    for (const SetNode& node : nodes)
        all += (all.empty() ? "" : " ") + node.spec + (node.has_children ? "+" : "");
    return all;
}

}  // namespace

TEST_CASE("browse queries: sets level by level, a page at a time") {
    BrowseQueries queries(store());
    CHECK(specs(queries.children(std::nullopt, "", 10)) == "col+ dom+ mim+");
    CHECK(specs(queries.children(std::nullopt, "col", 1)) == "dom+");
    const int dom = queries.path("dom").at(0).id;
    CHECK(specs(queries.children(dom, "", 10)) == "dom:cz+ dom:ee+");
    CHECK(specs(queries.children(dom, "dom:cz", 10)) == "dom:ee+");
    CHECK(queries.children(dom, "dom:ee", 10).empty());
    const int col = queries.path("col").at(0).id;
    Strings all;
    for (std::string after; all.size() < 200;) {
        const auto page = queries.children(col, after, 50);
        if (page.empty()) break;
        for (const SetNode& node : page) all.push_back(node.spec);
        after = page.back().spec;
    }
    CHECK(all ==
          filled().column(
              "select spec from oai.set where spec like 'col:%' order by spec collate \"C\""));
}

TEST_CASE(
    "browse queries: sets by the beginning of their setSpec, whatever the database's collation") {
    BrowseQueries queries(store());
    CHECK(specs(queries.with_prefix("dom:c", "", 10)) ==
          "dom:cz+ dom:cz:etv24+ dom:cz:etv24:www dom:cz:webarchiv");
    CHECK(specs(queries.with_prefix("dom:c", "dom:cz:etv24", 1)) == "dom:cz:etv24:www");
    CHECK(queries.with_prefix("col:c01", "", 100).size() == 10);
    CHECK(queries.with_prefix("nothing", "", 10).empty());
    CHECK(queries.with_prefix("dom:c%", "", 10).empty());
}

TEST_CASE("browse queries: the path of a set, and sets by their ids") {
    BrowseQueries queries(store());
    const auto path = queries.path("dom:cz:etv24:www");
    CHECK(specs(path) == "dom dom:cz dom:cz:etv24 dom:cz:etv24:www");
    for (const SetNode& node : path)
        CHECK(node.items ==
              filled().number("select item_count from oai.set where spec = '" + node.spec + "'"));
    CHECK(queries.path("dom:xx").empty());
    const auto some = queries.paths(std::vector{path[3].id, path[0].id, -1});
    REQUIRE(some.size() == 2);
    CHECK(specs(some[0]) == "dom");
    CHECK(specs(some[1]) == specs(path));
    CHECK(some[1][2].items == path[2].items);
    CHECK(queries.paths({}).empty());
}

TEST_CASE("browse queries: the number of records") {
    CHECK(BrowseQueries(store()).total() == 12'000);
}

TEST_CASE("browse queries: the last records begin where a list of them does") {
    const Horizon horizon = store().horizon();
    const std::int64_t before = BrowseQueries(store()).page_before(horizon.last_seq, 97);
    RecordCursor cursor = store().list({.records = 200, .after = before});
    int records = 0;
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        records += batch.size();
    CHECK(records == 97);
    CHECK(BrowseQueries(store()).page_before(horizon.last_seq, 1'000'000) == 0);
}

TEST_CASE("browse queries: the parts cover the list, with the last datestamp of each") {
    BrowseQueries queries(store());
    const auto parts = queries.parts(500);
    Strings seen;
    for (const Part& part : parts)
        seen.push_back(std::to_string(part.after) + " " + print_datestamp(part.latest));
    CHECK(
        seen ==
        filled().column(
            R"(select (seq - 1) / 500 * 500 || ' ' || to_char(max(datestamp) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                                     from oai.item group by (seq - 1) / 500 order by (seq - 1) / 500)"));
}
