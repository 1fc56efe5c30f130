// SPDX-License-Identifier: MIT
// The cursor over a list, on the real schema and the webarchiv model: what it pages through is what
// plain SQL says.
#include "store/record_cursor.h"

#include "pg/binary.h"
#include "store/store.h"
#include "t/lib/wait.h"
#include "t/unit/store/documents.h"

namespace {

// All pages of a list, each going on where the one before ended, as a harvester's tokens do.
std::vector<std::int64_t> walk(Store& store, ListQuery q) {
    std::vector<std::int64_t> ids;
    for (;;) {
        RecordCursor cursor = store.list(q);
        const bool is_short = q.records <= (q.with_records || q.set ? 100 : 1000);
        if (is_short) CHECK(store.pool().stats().in_use == 0);
        int given = 0;
        for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next()) {
            for (int i = 0; i < batch.size(); ++i) ids.push_back(batch.header(i).id);
            given += batch.size();
            q.after = batch.header(batch.size() - 1).seq;
        }
        CHECK(store.pool().stats().in_use == 0);
        CHECK(given <= q.records);
        if (!cursor.more()) return ids;
        REQUIRE(given == q.records);  // a page is never short while the list goes on
        if (cursor.position().upto_fixed) q.upto = cursor.position().upto;
    }
}

// The names of record i in the column that is shown under this name, of whatever kind they are.
Strings named(const RecordBatch& batch, int i, std::string_view shown) {
    std::vector<int> ids;
    for (int c = 0; c < batch.columns(); ++c) {
        if (batch.column(c).xml_name != shown || batch.is_null(i, c)) continue;
        REQUIRE(batch.column(c).is_named);
        if (batch.column(c).type == pg::kInt4Array)
            pg::read_int4_array(batch.bytes(i, c), ids);
        else
            ids.push_back(static_cast<int>(pg::read_integer(batch.bytes(i, c))));
    }
    Strings names;
    for (const int id : ids) {
        const Name* name = batch.names().find(id);
        REQUIRE(name != nullptr);
        names.push_back(name->text);
    }
    return names;
}

struct Range {
    std::optional<Seconds> from, until;
};

std::vector<Range> ranges() {
    return {{},
            {kFirst + 40s, {}},
            {{}, kFirst + 39s},
            {kFirst + 10s, kFirst + 120s},
            {kFirst + 7s, kFirst + 7s},
            {kFirst - 9s, kFirst + 9999s},
            {kFirst + 9999s, {}},
            {{}, kFirst - 1s}};
}

std::vector<std::optional<std::string>> sets() {
    return {std::nullopt,  "dom",
            "dom:cz",      "dom:cz:etv24:www",
            "dom:ee",      "mim:image:svg~2Bxml",
            "col:culture", "col:culture:estonia"};
}

// Removes published docs behind the publisher's back: their numbers stay in the chunks.
void make_stale(TestDb& db, const std::string& which) {
    db.run("set session_replication_role = replica; delete from webarchiv.doc where " + which +
           "; reset session_replication_role");
}

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
    for (int i = 0; i < connections; ++i) leases.push_back(store.pool().acquire());
}

}  // namespace

TEST_CASE_METHOD(Reading, "pages of any size give the same list as plain SQL") {
    const int records = GENERATE(1, 7, 100, 250, 1000);
    int lists = 0;
    for (const auto& set : sets())
        for (const auto& [from, until] : ranges()) {
            const ListQuery q{.with_records = records == 7,
                              .from = from,
                              .until = until,
                              .set = set,
                              .records = records};
            const auto want = expected(db, q);
            if (want.size() > static_cast<std::size_t>(60 * records))
                continue;  // many pages show no more than some
            ++lists;
            INFO(set.value_or("-")
                 << " " << timestamp(from) << " " << timestamp(until) << " by " << records);
            REQUIRE(walk(store, q) == want);
        }
    CHECK(lists >= (records == 1 ? 30 : 60));
    CHECK(expected(db, {.set = "dom:cz"}).size() > 400);  // the comparison was not between nothings
    CHECK(expected(db, {.from = kFirst + 10s, .until = kFirst + 120s}).size() == 333);
}

TEST_CASE("numbers that no item has any more neither shorten a page nor end a list") {
    Filled db;
    const bool all_before_last = GENERATE(false, true);
    make_stale(db,
               all_before_last ? "id between 2 and 448" : "id % 5 = 0 or id between 100 and 330");
    Store store(options(db));
    for (const int records : {1, 2, 7, 60, 100, 250, 1000})
        for (const auto& set : sets()) {
            const ListQuery q{.with_records = records == 60, .set = set, .records = records};
            const auto want = expected(db, q);
            if (want.size() > static_cast<std::size_t>(60 * records)) continue;
            INFO(set.value_or("-")
                 << " by " << records << (all_before_last ? ", nearly all" : ", many"));
            REQUIRE(walk(store, q) == want);
        }
    CHECK(db.number("select count(*) from oai.set_page((select id from oai.set where spec = "
                    "'dom'), 0, 1000, 1000)") == 450);
}

TEST_CASE("the last page says so even if only numbers without items follow it") {
    Filled db;
    make_stale(db, "id > 100");
    Store store(options(db));
    for (const int records : {50, 100}) {
        RecordCursor cursor =
            store.list({.set = "dom", .records = records, .after = records == 50 ? 50 : 0});
        CHECK(store.pool().stats().in_use == 0);
        CHECK(cursor.next().size() == records);
        CHECK_FALSE(cursor.more());
    }
}

TEST_CASE_METHOD(Reading, "a list of an unknown set says that the set does not exist") {
    RecordCursor cursor = store.list({.set = "dom:none", .want_size = true});
    CHECK_FALSE(cursor.position().set_exists);
    CHECK(cursor.position().size == -1);
    CHECK(cursor.next().size() == 0);
    CHECK_FALSE(cursor.more());
    CHECK(store.pool().stats().in_use == 0);
    CHECK(store.list({.set = "dom:cz"}).position().set_exists);
}

TEST_CASE_METHOD(Reading,
                 "a later page is correct when its list is read by other sets than before") {
    ListQuery q{.records = 10};
    q.required = {"url"};
    q.after = 0;
    const auto first_seq = [&] { return store.list(q).next().header(0).seq; };
    const std::int64_t all = first_seq();
    db.run(
        "insert into oai.rule (name, condition, examined, is_universal, item_count) values "
        "('{url}', 'true', null, false, 1)");
    db.run("insert into oai.set_chunk select set_id, 7, '{7}' from oai.rule where name = '{url}'");
    CHECK(first_seq() == 7);  // it was read by no set, and now is by one
    CHECK(store.list(q).position().required_id);
    CHECK(first_seq() == 7);
    db.run("delete from oai.set_chunk where set_id in (select set_id from oai.rule)");
    db.run("delete from oai.rule");
    CHECK(first_seq() == all);
    CHECK(store.pool().stats().in_use == 0);
}

TEST_CASE_METHOD(Reading, "a record has the model's columns, also after its number has changed") {
    for (const bool by_set : {false, true}) {
        ListQuery q{.with_records = true, .records = 3, .after = 149};
        if (by_set) q.set = "dom";
        RecordCursor cursor = store.list(q);
        RecordBatch first = cursor.next();
        const RecordBatch batch = std::move(first);
        REQUIRE(batch.size() == 3);
        CHECK(batch.column(0).name == "url");
        CHECK(batch.column(0).type == pg::kText);
        CHECK(batch.bytes(0, 0) == "http://x/150");
        CHECK(batch.bytes(2, 0) == "http://x/152");
        int collections = 0;
        while (collections < batch.columns() && batch.column(collections).name != "collections_id")
            ++collections;
        REQUIRE(collections < batch.columns());
        CHECK(batch.column(collections).xml_name == "collections");
        CHECK(named(batch, 0, "collections") ==
              Strings{"kool.ee", "image/svg+xml", "Estonian culture"});
        CHECK(named(batch, 0, "mimetype") == Strings{"image/svg+xml"});
        CHECK(named(batch, 1, "domain") == Strings{"webarchiv.cz"});
        CHECK(named(batch, 0, "arc").empty());
        CHECK(batch.header(1).set_ids.size() == 2);
    }
}

TEST_CASE("names are read when they first occur; archive files have their own numbers") {
    Filled db(
        "store",
        "insert into webarchiv.arc (file) select 'f' || g || '.gz' from generate_series(1, 40) g;"
        "update webarchiv.doc set id_arc = 1 + id % 40");
    Store store(options(db));
    CHECK(named(store.get("79").batch, 0, "arc") == Strings{"f40.gz"});
    RecordCursor cursor =
        store.list({.with_records = true, .set = "dom:cz:webarchiv", .records = 45});
    const RecordBatch batch = cursor.next();
    REQUIRE(batch.size() == 45);
    for (int i = 0; i < 45; ++i) {
        CHECK(named(batch, i, "arc") ==
              Strings{"f" + std::to_string(1 + batch.header(i).id % 40) + ".gz"});
        CHECK(named(batch, i, "domain") == Strings{"webarchiv.cz"});
    }
    db.run(
        "insert into webarchiv.arc (id, file) values (400, 'new.gz');update webarchiv.doc set "
        "id_arc = 400 where id = 79");
    CHECK(named(store.get("79").batch, 0, "arc") == Strings{"new.gz"});
}

// The names are asked for while the database reads the rest of the page, with which the snapshot
// ends.
TEST_CASE("names may occur for the first time in a page of two batches") {
    auto& db = filled();
    for (const bool with_records : {false, true}) {
        for (const int records : {101, 150, 200, 201}) {
            CAPTURE(with_records, records);
            Store store(options(db));
            CHECK(walk(store, {.with_records = with_records, .records = records}) ==
                  expected(db, {}));
        }
    }
}

TEST_CASE_METHOD(Reading, "stop() reads only as far as needed to know whether the list continues") {
    for (const bool by_set : {false, true}) {
        ListQuery q{.with_records = true, .records = 1000};
        if (by_set) q.set = "dom";
        RecordCursor cursor = store.list(q);
        CHECK(store.pool().stats().in_use == 1);
        CHECK(cursor.next().size() == 100);
        CHECK(store.pool().stats().in_use == 1);
        cursor.stop();
        CHECK(store.pool().stats().in_use == 0);
        CHECK(cursor.more());
        CHECK(cursor.next().size() == 0);

        q.after = 350;
        RecordCursor tail = store.list(q);
        CHECK(tail.next().size() == 100);
        tail.stop();
        CHECK_FALSE(tail.more());
        CHECK(store.pool().stats().in_use == 0);

        RecordCursor unread = store.list(q);
        unread.stop();
        CHECK(unread.more());
        CHECK(store.pool().stats().in_use == 0);
    }
    { RecordCursor dropped = store.list({.with_records = true, .records = 1000}); }
    CHECK(store.pool().stats().in_use == 0);
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE_METHOD(
    Reading,
    "a backend killed in the middle of a list is a temporary error, and the next request works") {
    const auto kill_readers = [&] {
        db.value(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = "
            "'store-test' and datname = '" +
            db.name() + "'");
    };
    {
        RecordCursor cursor = store.list({.with_records = true, .records = 1000});
        CHECK(cursor.next().size() == 100);
        kill_readers();
        // A batch is asked for while the one before it is worked on: one more may have arrived in
        // time.
        int arrived = 0;
        try {
            while (cursor.next().size() > 0) ++arrived;
            FAIL("the backend is gone");
        } catch (const pg::Error& e) {
            CHECK(e.unavailable());
        }
        CHECK(arrived <= 1);
    }
    CHECK(store.list({}).next().size() == 100);
    kill_readers();
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE("a prefetched page equals the page, long or short, by set or not") {
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
                const auto taken = store.prefetched().used;
                store.prefetch(next);
                CHECK(store.pool().stats().in_use == 1);
                CHECK(ids_of(store.list(next)) == expected);
                CHECK(store.prefetched().used == taken + 1);
                CHECK(store.pool().stats().in_use == 0);
            }
}

TEST_CASE("a prefetched page shows the state of its snapshot, and is used once") {
    Filled db("prefetched");
    Store store(prefetching(db));
    warm(store);
    const auto before = ids_of(store.list(kSecondPage));
    store.prefetch(kSecondPage);
    // The snapshot is taken when the database begins, which nobody waits for.
    REQUIRE(wait_until([&] {
        return db.value(
                   "select count(*) from pg_stat_activity where application_name = 'store-test' "
                   "and state = 'idle' and query = 'commit'") != "0";
    }));
    db.run("update webarchiv.doc set status = 404 where seq between 25 and 30");
    publish_all(db, 1000);
    CHECK(ids_of(store.list(kSecondPage)) == before);
    CHECK(ids_of(store.list(kSecondPage)) != before);
}

TEST_CASE("a prefetched last page is read again if a later response has promised more") {
    Store store(prefetching(filled()));
    warm(store);
    const ListQuery last{.records = 20, .after = 445};
    const Position position = store.list(last).position();
    ReplicaPosition later = replica_position_of(position.horizon);
    later.h += 1s;
    later.seq += 1;
    store.prefetch(last);
    CHECK(ids_of(store.list(last, later)).size() == 5);
    CHECK(store.prefetched().used == 1);
    CHECK(store.pool().stats().taken == 1 + 1 + 1 + 1);  // warm, last, ahead, and anew
}

TEST_CASE("a prefetched page that is not requested is dropped") {
    StoreOptions short_lived = prefetching(filled());
    short_lived.prefetched_lifetime = 200ms;
    Store store(std::move(short_lived));
    warm(store);
    store.prefetch(kSecondPage);
    CHECK(store.prefetched().started == 1);
    CHECK(wait_until([&] { return store.pool().stats().in_use == 0; }));
    CHECK(ids_of(store.list(kSecondPage)).size() == 20);
    CHECK(store.prefetched().used == 0);
}

TEST_CASE("a request takes the connection of a prefetched page") {
    StoreOptions two = prefetching(filled());
    two.pool.connections = 2;
    Store store(std::move(two));
    warm(store, 2);
    store.prefetch(kSecondPage);
    store.prefetch({.records = 20, .after = 40});
    CHECK(store.pool().stats().in_use == 2);
    store.prefetch({.records = 20, .after = 60});  // there is no connection for it
    CHECK(store.prefetched().started == 2);
    CHECK(ids_of(store.list({.records = 5})).size() == 5);  // max_waiters is 0
    CHECK(ids_of(store.list({.records = 20, .after = 40})).size() == 20);
    CHECK(store.prefetched().used == 1);
    CHECK(store.pool().stats().refused == 0);
}

TEST_CASE("a prefetched page whose connection was lost is read again") {
    auto& db = filled();
    Store store(prefetching(db));
    warm(store);
    store.prefetch(kSecondPage);
    db.run(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = "
        "'store-test'");
    CHECK(ids_of(store.list(kSecondPage)).size() == 20);
    CHECK(store.pool().stats().in_use == 0);
}

TEST_CASE("prefetching stops while pages are not used, and begins again when they are") {
    RecordPrefetcher prefetcher(1000);
    int wanted = 0;
    for (int i = 0; i < 1000; ++i) wanted += prefetcher.should_prefetch();
    CHECK(wanted == 16 + 984 / 32);

    Store store(prefetching(filled()));
    warm(store);
    for (int i = 0; i < 100; ++i) {
        store.prefetch(kSecondPage);
        ids_of(store.list(kSecondPage));
    }
    CHECK(store.prefetched().started == 100);
    CHECK(store.prefetched().used == 100);
}

TEST_CASE("the number of prefetched pages is limited") {
    Store store(prefetching(filled(), 1));
    warm(store, 3);
    store.prefetch(kSecondPage);
    store.prefetch({.records = 20, .after = 40});
    CHECK(store.prefetched().started == 1);
    Store none(prefetching(filled(), 0));
    warm(none);
    none.prefetch(kSecondPage);
    CHECK(none.prefetched().started == 0);
}
