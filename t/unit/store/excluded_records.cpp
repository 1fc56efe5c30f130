// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "store/horizon_watch.h"
#include "t/lib/testdb.h"

using namespace oai;

namespace {

StoreOptions options(const test::TestDb& db) {
    StoreOptions o;
    o.pool.conninfo = db.conninfo("oai_reader");
    o.pool.application_name = "exclusions";
    o.pool.connections = 1;
    return o;
}

}  // namespace

TEST_CASE("excluded records: found by prefix and number, in whatever order they were given") {
    const ExcludedRecords none({});
    CHECK_FALSE(none.has("oai_dc", 1));
    const ExcludedRecords some(
        {{"marc21", 7}, {"oai_dc", 9}, {"marc21", 2'000'000'000'000}, {"marc21", 3}});
    for (const std::int64_t seq :
         {std::int64_t{3}, std::int64_t{7}, std::int64_t{2'000'000'000'000}}) {
        CHECK(some.has("marc21", seq));
        CHECK_FALSE(some.has("marc21", seq + 1));
        CHECK_FALSE(some.has("oai_dc", seq));
    }
    CHECK(some.has("oai_dc", 9));
    CHECK_FALSE(some.has("marc", 3));
    CHECK_FALSE(some.has("", 3));
}

TEST_CASE("excluded records: read when first needed, and again when their version has changed") {
    test::TestDb db("exclusions");
    db.install_schema();
    db.run(
        "set oai.publisher = 'on';"
        "insert into webarchiv.doc (id, url, surt, archived_time, seq, datestamp) "
        "select n, 'http://x/' || n, 'x)/' || n, '2007-01-01Z', n, '2020-01-01Z' from "
        "generate_series(1, 3) n; reset oai.publisher");
    Store store(options(db));
    ExcludedRecordsCache exclusions;
    const auto none = exclusions.get(store);
    CHECK_FALSE(none->has("p", 2));

    db.run("insert into oai.excluded (prefix, seq, id, why) values ('p', 2, 2, 'bad')");
    CHECK(exclusions.get(store) == none);  // a page does not ask the database
    exclusions.refresh(store);
    const auto one = exclusions.get(store);
    CHECK(one->has("p", 2));
    CHECK_FALSE(none->has("p", 2));  // whoever has the old ones keeps them

    exclusions.refresh(store);
    CHECK(exclusions.get(store) == one);  // nothing changed, nothing is read

    db.run("delete from oai.excluded");
    exclusions.refresh(store);
    CHECK_FALSE(exclusions.get(store)->has("p", 2));
}
