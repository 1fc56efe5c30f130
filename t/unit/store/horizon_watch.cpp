// SPDX-License-Identifier: MIT
#include "store/horizon_watch.h"

#include <catch2/catch.hpp>

#include "protocol/error.h"
#include "t/lib/testdb.h"

using namespace oai;

namespace {

Horizon horizon(int h, std::uint64_t epoch) {
    return {.h = Seconds{std::chrono::seconds{h}},
            .last_seq = h,
            .epoch = epoch,
            .earliest = Seconds{}};
}

StoreOptions options(const test::TestDb& db) {
    StoreOptions o;
    o.pool.conninfo = db.conninfo("oai_reader");
    o.pool.application_name = "exclusions";
    o.pool.connections = 1;
    return o;
}

}  // namespace

TEST_CASE("no horizon is known before the first one is seen") {
    const LatestHorizon latest;
    CHECK_THROWS_AS(latest.get(), Unavailable);
}

TEST_CASE("a horizon that is reported late does not replace a later one") {
    LatestHorizon latest;
    latest.remember(horizon(10, 1));
    latest.remember(horizon(12, 1));
    latest.remember(horizon(11, 1));
    CHECK(latest.get().last_seq == 12);
}

TEST_CASE("a rebuilt repository replaces the horizon, even by an earlier one") {
    LatestHorizon latest;
    latest.remember(horizon(12, 1));
    latest.remember(horizon(3, 2));
    CHECK(latest.get().last_seq == 3);
}

TEST_CASE("the earliest datestamp stays known, and is never that of another epoch") {
    LatestHorizon latest;
    Horizon read_with_a_page = horizon(13, 1);
    read_with_a_page.earliest.reset();
    latest.remember(read_with_a_page);
    CHECK_FALSE(latest.get().earliest);
    latest.remember(horizon(12, 1));
    CHECK(latest.get().last_seq == 13);
    CHECK(latest.get().earliest == Seconds{});
    latest.remember(read_with_a_page);
    CHECK(latest.get().earliest == Seconds{});
    Horizon rebuilt = horizon(3, 2);
    rebuilt.earliest.reset();
    latest.remember(rebuilt);
    CHECK(latest.get().epoch == 2);
    CHECK_FALSE(latest.get().earliest);
}

TEST_CASE("a watch reports that it cannot reach its database, and can be stopped") {
    LatestHorizon latest;
    StoreOptions options;
    options.pool.conninfo = "host=/nonexistent";
    options.pool.connections = 1;
    ExcludedRecordsCache exclusions;
    RecordStatements statements;
    HorizonWatch watch(options, latest, exclusions, statements);
    CHECK_THROWS_AS(watch.refresh(), pg::Error);
    watch.start();
    CHECK_THROWS_AS(latest.get(), Unavailable);
}

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
