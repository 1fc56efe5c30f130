// SPDX-License-Identifier: MIT
#include "pg/snapshot.h"

#include "pg/binary.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

using After = pg::Snapshot::After;

namespace {

constexpr pg::Statement kNumbers{
    "numbers",
    "declare page no scroll cursor for select n from a where n > $1::int order by n limit $2::int"};
constexpr pg::Statement kCount{"count", "select count(*) from a"};

pg::Parameters page(std::int64_t after, std::int64_t limit) {
    return pg::Parameters().add(after).add(limit);
}

std::int64_t integer(const pg::Result& r, int row = 0) { return pg::read_integer(r.bytes(row, 0)); }

struct Fixture {
    TestDb db{"snapshot"};
    pg::Connection connection{db.conninfo(), "test"};
    Fixture() {
        db.run("create table a (n int primary key); insert into a select generate_series(1, 10)");
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a cursor returns its rows in batches of any size, up to its LIMIT") {
    const int portion = GENERATE(1, 3, 7, 8, 100);
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(2, 7));
    std::vector<std::int64_t> got;
    for (;;) {
        const auto rows = snapshot.fetch(portion);
        for (int i = 0; i < rows.rows(); ++i) got.push_back(integer(rows, i));
        if (rows.rows() < portion) break;
    }
    CHECK(got == std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9});
    CHECK(snapshot.fetch(5).rows() == 0);
    snapshot.commit();
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "an empty list ends at once") {
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(10, 5));
    CHECK(snapshot.fetch(5).rows() == 0);
}

TEST_CASE_METHOD(Fixture, "a snapshot does not see later changes") {
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    db.run("delete from a where n > 5");
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    snapshot.open(kNumbers, page(0, 100));
    CHECK(snapshot.fetch(100).rows() == 10);
    snapshot.commit();
    pg::Snapshot later(connection);
    CHECK(integer(later.query(kCount, {})) == 5);
}

TEST_CASE_METHOD(Fixture, "the last fetch can end the snapshot") {
    {
        pg::Snapshot snapshot(connection);
        snapshot.query(kCount, {});
        snapshot.open(kNumbers, page(0, 4));
        CHECK(snapshot.fetch(2).rows() == 2);
        CHECK(snapshot.fetch(2, After::commit).rows() == 2);
        CHECK(snapshot.is_committed());
        CHECK_FALSE(connection.in_transaction());
        snapshot.commit();
    }
    pg::Snapshot snapshot(connection);  // BEGIN, DECLARE, FETCH and COMMIT at once
    snapshot.open(kNumbers, page(0, 4));
    CHECK(snapshot.fetch(9, After::commit).rows() == 4);
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "a cursor takes the place of the one before") {
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(0, 100));
    snapshot.fetch(2);
    snapshot.open(kNumbers, page(7, 100));
    CHECK(integer(snapshot.fetch(1)) == 8);
}

TEST_CASE_METHOD(Fixture, "rows under way are kept while another statement runs") {
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(0, 100));
    snapshot.request(2);
    CHECK(integer(snapshot.connection().query(kCount)) == 10);
    CHECK(integer(snapshot.connection().query(kCount)) == 10);
    CHECK(integer(snapshot.receive(), 1) == 2);
    CHECK(integer(snapshot.fetch(1)) == 3);
}

TEST_CASE_METHOD(Fixture, "a commit throws rows under way away") {
    const bool with_last_fetch = GENERATE(false, true);
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(0, 100));
    snapshot.request(2, with_last_fetch ? After::commit : After::keep_open);
    snapshot.commit();
    snapshot.commit();
    CHECK(snapshot.is_committed());
    CHECK_FALSE(connection.in_transaction());
    CHECK(integer(connection.query(kCount)) == 10);
}

TEST_CASE_METHOD(Fixture, "an abandoned snapshot is rolled back") {
    { pg::Snapshot unused(connection); }
    {
        pg::Snapshot snapshot(connection);
        snapshot.open(kNumbers, page(0, 100));
        snapshot.fetch(1);
        CHECK(connection.in_transaction());
    }
    CHECK_FALSE(connection.in_transaction());
    CHECK_FALSE(connection.broken());
}

TEST_CASE_METHOD(Fixture, "a snapshot cannot write") {
    pg::Snapshot snapshot(connection);
    CHECK_THROWS_AS(snapshot.query({"write", "delete from a"}, {}), pg::Error);
}

TEST_CASE_METHOD(Fixture, "a failing declaration or fetch leaves a usable connection") {
    {
        pg::Snapshot snapshot(connection);
        snapshot.open({"bad", "declare page no scroll cursor for select 1 from nowhere"}, {});
        CHECK_THROWS_AS(snapshot.fetch(1, After::commit), pg::Error);
        CHECK_FALSE(snapshot.is_committed());
    }
    {
        pg::Snapshot snapshot(connection);
        snapshot.open(
            {"bad",
             "declare page no scroll cursor for select 1 / (5 - n) from a order by n limit 10"},
            {});
        CHECK(snapshot.fetch(4).rows() == 4);
        CHECK_THROWS_AS(snapshot.fetch(4, After::commit), pg::Error);
    }
    CHECK_FALSE(connection.in_transaction());
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
}

// The SQLSTATE by which a prepared statement says that its columns have changed: a FETCH, whose
// text is made for the occasion and is gone by then, is none.
TEST_CASE_METHOD(Fixture, "a fetch may fail with feature_not_supported") {
    db.run(
        "create function unsupported(n int) returns int language plpgsql as $$ begin"
        " raise exception 'not here' using errcode = 'feature_not_supported'; end $$");
    for (int i = 0; i < 2; ++i) {
        pg::Snapshot snapshot(connection);
        snapshot.open(
            {"unsupported",
             "declare page no scroll cursor for select unsupported(n) from a limit 10", true},
            {});
        try {
            snapshot.fetch(1'000'000);
            FAIL("the function raises an error");
        } catch (const pg::Error& e) {
            CHECK(e.sqlstate() == "0A000");
            CHECK(e.statement() == "unsupported");
        }
    }
    CHECK_FALSE(connection.in_transaction());
    CHECK_FALSE(connection.broken());
}

TEST_CASE_METHOD(Fixture, "a backend terminated while a cursor is open is a temporary error") {
    pg::Snapshot snapshot(connection);
    snapshot.open(kNumbers, page(0, 100));
    snapshot.fetch(2);
    db.value("select pg_terminate_backend(" + std::to_string(PQbackendPID(connection.raw())) +
             ", 5000)");
    try {
        snapshot.fetch(2);
        FAIL("the backend is gone");
    } catch (const pg::Error& e) {
        CHECK(e.unavailable());
        CHECK(e.statement() == "numbers");
    }
    CHECK(connection.broken());
}
