// SPDX-License-Identifier: MIT
// Pages that are read ahead: the same as others, as of when they were asked for; their connections
// come back by themselves.
#include "store/record_prefetcher.h"

#include <catch2/catch.hpp>
#include <thread>

#include "store/store.h"
#include "t/lib/wait.h"
#include "t/unit/store/documents.h"

using namespace oai;
using namespace std::chrono_literals;
using test::filled;
using test::kDocs;
using test::options;
using test::TestDb;

namespace {

StoreOptions prefetching(const TestDb& db, int pages = 2) {
    StoreOptions o = options(db);
    o.pool.connections = 4;
    o.prefetched_pages = pages;
    o.prefetched_lifetime = 1h;
    return o;
}

const ListQuery kSecondPage{.records = 20, .after = 20};

// The ids of one page.
std::vector<std::int64_t> ids_of(RecordCursor cursor) {
    std::vector<std::int64_t> ids;
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        for (int i = 0; i < batch.size(); ++i) ids.push_back(batch.header(i).id);
    return ids;
}

// Has the pool open that many connections, so that some are idle.
void warm(Store& store, int connections = 1) {
    std::vector<pg::Pool::Lease> leases;
    for (int i = 0; i < connections; ++i) leases.push_back(store.pool().take());
}

}  // namespace

TEST_CASE("a page that was read ahead is the page, long or short, of a set or of all") {
    Store store(prefetching(filled()));
    warm(store);
    for (const bool with_records : {false, true})
        for (const int records : {1, 100, 250})
            for (const char* set : {"", "dom:cz", "col:culture:estonia"}) {
                ListQuery first{.with_records = with_records, .records = records};
                if (*set != 0) first.set = set;
                RecordCursor cursor = store.list(first);  // so that it is known where the list is
                while (cursor.next().size() > 0) {
                }
                ListQuery next = first;
                next.after = 7;
                const auto expected = ids_of(store.list(next));
                const auto taken = store.prefetched().taken;
                store.prefetch(next);
                CHECK(store.pool().stats().in_use == 1);
                CHECK(ids_of(store.list(next)) == expected);
                CHECK(store.prefetched().taken == taken + 1);
                CHECK(store.pool().stats().in_use == 0);
            }
}

TEST_CASE("a page is as of when it was asked for, and is given out once") {
    TestDb db("prefetched");
    db.install_schema();
    db.run(kDocs);
    test::publish_all(db, 1000);
    Store store(prefetching(db));
    warm(store);
    const auto before = ids_of(store.list(kSecondPage));
    store.prefetch(kSecondPage);
    // The snapshot is taken when the database begins, which nobody waits for.
    REQUIRE(test::wait_until([&] {
        return db.value(
                   "select count(*) from pg_stat_activity where application_name = 'store-test' "
                   "and state = 'idle' and query = 'commit'") != "0";
    }));
    db.run("update webarchiv.doc set status = 404 where seq between 25 and 30");
    test::publish_all(db, 1000);
    CHECK(ids_of(store.list(kSecondPage)) == before);
    CHECK(ids_of(store.list(kSecondPage)) != before);
}

TEST_CASE("the end of a list is read anew where more has been promised meanwhile") {
    Store store(prefetching(filled()));
    warm(store);
    const ListQuery last{.records = 20, .after = 445};
    const Position position = store.list(last).position();
    ReplicaPosition later = replica_position_of(position.horizon);
    later.h += 1s;
    later.seq += 1;
    store.prefetch(last);
    CHECK(ids_of(store.list(last, later)).size() == 5);
    CHECK(store.prefetched().taken == 1);
    CHECK(store.pool().stats().taken == 1 + 1 + 1 + 1);  // warm, last, ahead, and anew
}

TEST_CASE("what nobody asks for is dropped") {
    StoreOptions short_lived = prefetching(filled());
    short_lived.prefetched_lifetime = 200ms;
    Store store(std::move(short_lived));
    warm(store);
    store.prefetch(kSecondPage);
    CHECK(store.prefetched().asked == 1);
    CHECK(test::wait_until([&] { return store.pool().stats().in_use == 0; }));
    CHECK(ids_of(store.list(kSecondPage)).size() == 20);
    CHECK(store.prefetched().taken == 0);
}

TEST_CASE("whoever needs a connection gets it before what is only read ahead") {
    StoreOptions two = prefetching(filled());
    two.pool.connections = 2;
    Store store(std::move(two));
    warm(store, 2);
    store.prefetch(kSecondPage);
    store.prefetch({.records = 20, .after = 40});
    CHECK(store.pool().stats().in_use == 2);
    store.prefetch({.records = 20, .after = 60});  // there is no connection for it
    CHECK(store.prefetched().asked == 2);
    CHECK(ids_of(store.list({.records = 5})).size() == 5);  // max_waiters is 0
    CHECK(ids_of(store.list({.records = 20, .after = 40})).size() == 20);
    CHECK(store.prefetched().taken == 1);
    CHECK(store.pool().stats().refused == 0);
}

TEST_CASE("a connection that was lost meanwhile costs nothing but time") {
    auto& db = filled();
    Store store(prefetching(db));
    warm(store);
    store.prefetch(kSecondPage);
    db.run(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
        "where application_name = 'store-test'");
    CHECK(ids_of(store.list(kSecondPage)).size() == 20);
    CHECK(store.pool().stats().in_use == 0);
}

TEST_CASE("pages that nobody takes are hardly read ahead any more, until some are taken again") {
    RecordPrefetcher prefetcher(1000);
    int wanted = 0;
    for (int i = 0; i < 1000; ++i) wanted += prefetcher.wants();
    CHECK(wanted == 16 + 984 / 32);

    Store store(prefetching(filled()));
    warm(store);
    for (int i = 0; i < 100; ++i) {
        store.prefetch(kSecondPage);
        ids_of(store.list(kSecondPage));
    }
    CHECK(store.prefetched().asked == 100);
    CHECK(store.prefetched().taken == 100);
}

TEST_CASE("there are never more pages than there may be") {
    Store store(prefetching(filled(), 1));
    warm(store, 3);
    store.prefetch(kSecondPage);
    store.prefetch({.records = 20, .after = 40});
    CHECK(store.prefetched().asked == 1);
    Store none(prefetching(filled(), 0));
    warm(none);
    none.prefetch(kSecondPage);
    CHECK(none.prefetched().asked == 0);
}
