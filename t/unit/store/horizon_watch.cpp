// SPDX-License-Identifier: MIT
#include "store/horizon_watch.h"

#include "protocol/error.h"
#include "t/lib/unit_headers.h"

namespace {

Horizon horizon(int h, std::uint64_t epoch) {
    return {.h = Seconds{std::chrono::seconds{h}},
            .last_seq = h,
            .epoch = epoch,
            .earliest = Seconds{}};
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

TEST_CASE("a horizon whose second was taken back has a greater number") {
    LatestHorizon latest;
    latest.remember(horizon(90, 1));
    Horizon mended = horizon(10, 1);
    mended.last_seq = 91;
    latest.remember(mended);
    CHECK(latest.get().h == mended.h);
    latest.remember(horizon(9, 1));
    CHECK(latest.get().last_seq == 91);
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
    RecordStatements statements;
    HorizonWatch watch(options, latest, statements);
    CHECK_THROWS_AS(watch.refresh(), pg::Error);
    watch.start();
    CHECK_THROWS_AS(latest.get(), Unavailable);
}
