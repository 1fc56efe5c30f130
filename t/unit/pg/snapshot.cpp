// SPDX-License-Identifier: MIT
#include "pg/snapshot.h"

#include <catch2/catch.hpp>

#include "pg/binary.h"
#include "t/lib/testdb.h"

using namespace oai;
using After = pg::Snapshot::After;

namespace {

constexpr pg::Statement kNumbers{
    "numbers", "select n from a where n > $1::int order by n limit $2::int", true};
constexpr pg::Statement kCount{"count", "select count(*) from a"};

pg::Parameters page(std::int64_t after, std::int64_t limit) {
    return pg::Parameters().add(after).add(limit);
}

pg::Result fetch(pg::Snapshot& snapshot, const pg::Statement& statement,
                 const pg::Parameters& parameters, After after = After::keep_open) {
    snapshot.request(statement, parameters, after);
    return snapshot.receive();
}

std::int64_t integer(const pg::Result& r, int row = 0) { return pg::read_integer(r.bytes(row, 0)); }

struct Fixture {
    test::TestDb db{"snapshot"};
    pg::Connection connection{db.conninfo(), "test"};
    Fixture() {
        db.run("create table a (n int primary key); insert into a select generate_series(1, 10)");
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "rows come statement by statement, from one snapshot") {
    pg::Snapshot snapshot(connection);
    CHECK(fetch(snapshot, kNumbers, page(2, 7)).rows() == 7);
    db.run("delete from a");
    CHECK(integer(fetch(snapshot, kNumbers, page(9, 7))) == 10);
    CHECK(fetch(snapshot, kNumbers, page(10, 5)).rows() == 0);
    snapshot.commit();
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "a snapshot does not see later changes") {
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    db.run("delete from a where n > 5");
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    CHECK(fetch(snapshot, kNumbers, page(0, 100)).rows() == 10);
    snapshot.commit();
    pg::Snapshot later(connection);
    CHECK(integer(later.query(kCount, {})) == 5);
}

TEST_CASE_METHOD(Fixture, "the last statement can end the snapshot") {
    {
        pg::Snapshot snapshot(connection);
        snapshot.query(kCount, {});
        CHECK(fetch(snapshot, kNumbers, page(0, 2)).rows() == 2);
        CHECK(fetch(snapshot, kNumbers, page(2, 2), After::commit).rows() == 2);
        CHECK(snapshot.is_committed());
        CHECK_FALSE(connection.in_transaction());
        snapshot.commit();
    }
    pg::Snapshot snapshot(connection);  // BEGIN, the statement and COMMIT at once
    CHECK(fetch(snapshot, kNumbers, page(0, 4), After::commit).rows() == 4);
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "rows under way are kept while another statement runs") {
    pg::Snapshot snapshot(connection);
    snapshot.request(kNumbers, page(0, 2), After::keep_open);
    CHECK(integer(snapshot.connection().query(kCount)) == 10);
    CHECK(integer(snapshot.connection().query(kCount)) == 10);
    CHECK(integer(snapshot.receive(), 1) == 2);
    CHECK(integer(fetch(snapshot, kNumbers, page(2, 1))) == 3);
}

TEST_CASE_METHOD(Fixture, "a commit throws rows under way away") {
    pg::Snapshot snapshot(connection);
    snapshot.request(kNumbers, page(0, 2), GENERATE(After::keep_open, After::commit));
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
        fetch(snapshot, kNumbers, page(0, 1));
        CHECK(connection.in_transaction());
    }
    CHECK_FALSE(connection.in_transaction());
    CHECK_FALSE(connection.broken());
}

TEST_CASE_METHOD(Fixture, "a snapshot cannot write") {
    pg::Snapshot snapshot(connection);
    CHECK_THROWS_AS(snapshot.query({"write", "delete from a"}, {}), pg::Error);
}

TEST_CASE_METHOD(Fixture, "a failing statement leaves a usable connection") {
    for (const char* bad : {"select 1 from nowhere", "select 1 / (5 - n) from a order by n"}) {
        pg::Snapshot snapshot(connection);
        CHECK_THROWS_AS(fetch(snapshot, {"bad", bad}, {}, After::commit), pg::Error);
        CHECK_FALSE(snapshot.is_committed());
    }
    CHECK_FALSE(connection.in_transaction());
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
}

// The SQLSTATE by which a prepared statement says that its columns have changed.
TEST_CASE_METHOD(Fixture, "a statement may fail with feature_not_supported") {
    db.run(
        "create function unsupported(n int) returns int language plpgsql as $$ begin"
        " raise exception 'not here' using errcode = 'feature_not_supported'; end $$");
    for (int i = 0; i < 2; ++i) {
        pg::Snapshot snapshot(connection);
        try {
            fetch(snapshot, {"unsupported", "select unsupported(n) from a limit 10", true}, {});
            FAIL("the function raises an error");
        } catch (const pg::Error& e) {
            CHECK(e.sqlstate() == "0A000");
            CHECK(e.statement() == "unsupported");
        }
    }
    CHECK_FALSE(connection.in_transaction());
    CHECK_FALSE(connection.broken());
}

TEST_CASE_METHOD(Fixture, "a backend terminated in a snapshot is a temporary error") {
    pg::Snapshot snapshot(connection);
    fetch(snapshot, kNumbers, page(0, 2));
    db.value("select pg_terminate_backend(" + std::to_string(PQbackendPID(connection.raw())) +
             ", 5000)");
    try {
        fetch(snapshot, kNumbers, page(2, 2));
        FAIL("the backend is gone");
    } catch (const pg::Error& e) {
        CHECK(e.unavailable());
        CHECK(e.statement() == "numbers");
    }
    CHECK(connection.broken());
}
