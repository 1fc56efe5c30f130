// SPDX-License-Identifier: MIT
// The store over the real schema and the webarchiv model: bounds, headers, names, sets, and what it
// does where the database is not as it should be. Lists: record_cursor.cpp.
#include "store/store.h"

#include "protocol/error.h"
#include "t/unit/store/documents.h"

TEST_CASE_METHOD(Reading, "a position has size, bounds and horizon") {
    const auto whole = store.list({.want_size = true}).position();
    CHECK(whole.size == 450);
    CHECK(whole.after == 0);
    CHECK(whole.upto == 450);
    CHECK_FALSE(whole.upto_fixed);
    CHECK(whole.horizon.last_seq == 450);
    CHECK(store.horizon().earliest == kFirst);
    CHECK(std::to_string(whole.horizon.h.time_since_epoch().count()) ==
          db.value("select extract(epoch from h)::bigint from oai.horizon"));
    CHECK(std::to_string(whole.horizon.epoch) == db.value("select epoch from oai.horizon"));
    CHECK(store.horizon().epoch == whole.horizon.epoch);
    CHECK(store.list({}).position().size == -1);
    CHECK(store.list({.set = "dom:ee", .want_size = true}).position().size == 45);

    const ListQuery dated{.from = kFirst + 10s, .until = kFirst + 19s, .want_size = true};
    const auto bounds = store.list(dated).position();
    CHECK(bounds.after == 30);
    CHECK(bounds.upto == 60);
    CHECK(bounds.upto_fixed);
    CHECK(bounds.size == 30);
    ListQuery capped = dated;
    capped.count_limit = 29;
    CHECK(store.list(capped).position().size == -1);
}

TEST_CASE_METHOD(Reading, "a header has the values of the item's row") {
    RecordCursor cursor = store.list({.set = "col:culture:estonia", .records = 1, .after = 100});
    const RecordBatch batch = cursor.next();
    REQUIRE(batch.size() == 1);
    const Header& header = batch.header(0);
    CHECK(header.id == 150);
    CHECK(header.seq == 150);
    CHECK(header.local_id == "150");
    CHECK(header.datestamp == kFirst + 49s);
    CHECK_FALSE(header.deleted);
    CHECK(batch.columns() == 0);
    std::vector<std::string_view> specs;
    for (const int id : header.set_ids) specs.push_back(batch.set_spec(id));
    CHECK(specs == std::vector<std::string_view>{"dom:ee:kool", "mim:image:svg~2Bxml",
                                                 "col:culture:estonia"});
    CHECK_THROWS_AS(batch.set_spec(2'000'000'000), Fault);
    CHECK(store.get("17").batch.header(0).deleted);
}

TEST_CASE_METHOD(Reading, "get finds a published record by exactly its local id") {
    const auto found = store.get("150");
    REQUIRE(found.batch.size() == 1);
    CHECK(found.batch.header(0).id == 150);
    CHECK(found.batch.bytes(0, 0) == "http://x/150");
    CHECK(found.horizon.last_seq == 450);
    const auto sets = found.batch.header(0).set_ids;
    REQUIRE(sets.size() == 3);
    CHECK(found.batch.set_spec(sets[0]) == "dom:ee:kool");
    CHECK(store.get("150", false).batch.columns() == 0);
    for (const char* other : {"451", "0150", "+150", "", "x", "99999999999999999999"}) {
        const auto none = store.get(other);
        CHECK(none.batch.size() == 0);
        CHECK(none.horizon.last_seq == 450);
    }
}

TEST_CASE_METHOD(Reading, "sets are listed by id, with their ancestors") {
    Strings specs;
    int after = 0;
    for (;;) {
        const auto page = store.sets(after, 4);
        CHECK(page.horizon.last_seq == store.horizon().last_seq);
        if (page.sets.empty()) break;
        for (const auto& set : page.sets) {
            CHECK(set.id > after);
            after = set.id;
            specs.push_back(set.spec);
            CHECK(set.description.empty());
        }
    }
    CHECK(specs == db.column("select spec from oai.set order by id"));
    CHECK(specs.size() == 15);
}

TEST_CASE("a position is lost if the database has continued from an earlier state") {
    TestDb db("store_fork");
    db.install_schema();
    db.run(
        "insert into oai.fork (datestamp, seq) values ('2020-01-01T00:00:10Z', 100), "
        "('2020-01-01T00:00:20Z', 300);"
        "update oai.horizon set h = '2020-01-01T00:00:30Z', last_seq = 400");
    Store store(options(db));
    CHECK_FALSE(store.sets(0, 1).lost);
    const std::tuple<std::int64_t, int, bool> cases[] = {// up to number, at second, lost
                                                         {100, 9, false},  {101, 9, true},
                                                         {101, 10, false}, {300, 19, false},
                                                         {301, 19, true},  {301, 20, false}};
    for (const auto& [seq, second, lost] : cases) {
        const SeenPosition seen{seq, kFirst + std::chrono::seconds{second}};
        CHECK(store.list({.after = 10, .seen = seen}).position().lost == lost);
        CHECK(store.sets(0, 1, seen).lost == lost);
    }
}

TEST_CASE("a repository before its first numbering is a temporary error, an empty one is not") {
    TestDb db("store");
    db.install_schema();
    Store store(options(db));
    CHECK_THROWS_AS(store.horizon(), Unavailable);
    CHECK_THROWS_AS(store.list({}), Unavailable);
    CHECK_THROWS_AS(store.get("1"), Unavailable);
    CHECK(store.pool().stats().in_use == 0);
    publish_all(db, 1000);
    const Horizon horizon = store.horizon();
    CHECK(horizon.earliest == horizon.h);
    RecordCursor cursor = store.list({.want_size = true});
    CHECK(cursor.position().size == 0);
    CHECK(cursor.next().size() == 0);
    CHECK_FALSE(cursor.more());
}

TEST_CASE("a record that breaks the contract is a fault that names the column") {
    Filled db;
    const auto replace_record = [&](const std::string& columns) {
        db.run("drop view oai.record cascade; create view oai.record as select " + columns +
               " from oai.item; grant select on oai.record to oai_reader");
    };
    Store store(options(db));
    replace_record("id, seq, local_id, datestamp::timestamp, deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}),
                      Contains("datestamp timestamp with time zone as column 4"));
    CHECK_THROWS_AS(store.get("1"), Fault);
    replace_record("id, seq, local_id as name, datestamp, deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}),
                      Contains("local_id text as column 3, not name"));
    replace_record("id, seq, local_id, datestamp, deleted");
    CHECK_THROWS_WITH(store.list({.with_records = true}), Contains("column 6, but there is none"));
    replace_record("id, seq, local_id, datestamp, nullif(deleted, false) as deleted, set_ids");
    CHECK_THROWS_WITH(store.list({.with_records = true}), Contains("oai.item 1: deleted"));
    db.run("update oai.set_chunk set seqs = array[5, 4, 6]");
    CHECK_THROWS_WITH(store.list({.set = "dom"}), Contains("do not ascend"));
    CHECK(store.list({}).next().size() == 100);
}

TEST_CASE("the session of the server is read-only and has its settings") {
    auto& db = filled();
    StoreOptions o = options(db);
    o.statement_timeout = 4321ms;
    Store store(o);
    auto lease = store.pool().acquire();
    const auto setting = [&](std::string_view name) {
        return std::string(
            lease->query({"show", "select current_setting($1)"}, pg::Parameters().add(name))
                .bytes(0, 0));
    };
    CHECK(setting("default_transaction_read_only") == "on");
    CHECK(setting("statement_timeout") == "4321ms");
    CHECK(setting("idle_in_transaction_session_timeout") == "4321ms");
    for (const char* off : {"jit", "enable_seqscan", "enable_bitmapscan"})
        CHECK(setting(off) == "off");
    CHECK(setting("enable_sort") == "on");
    CHECK_THROWS_AS(lease->query({"write", "create temporary table x ()"}), pg::Error);
}

TEST_CASE("many threads can use one store") {
    auto& db = filled();
    StoreOptions o = options(db);
    o.pool.connections = 3;
    o.pool.max_waiters = 16;
    o.pool.max_wait = 1h;
    Store store(o);
    const auto want = expected(db, {.set = "dom:cz"});
    std::vector<std::vector<std::int64_t>> got(6);
    std::vector<int> specs(6);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < got.size(); ++t)
        threads.emplace_back([&, t] {
            RecordCursor cursor = store.list({.set = "dom:cz", .records = 1000});
            for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
                for (int i = 0; i < batch.size(); ++i) {
                    got[t].push_back(batch.header(i).id);
                    for (const int id : batch.header(i).set_ids)
                        specs[t] += batch.set_spec(id).empty() ? 0 : 1;
                }
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t t = 0; t < got.size(); ++t) {
        CHECK(got[t] == want);
        CHECK(specs[t] >= static_cast<int>(2 * want.size()));
    }
}
