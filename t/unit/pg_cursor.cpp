// SPDX-License-Identifier: MIT
#include "pg/cursor.h"

#include <catch2/catch.hpp>

#include "pg/binary.h"
#include "t/lib/testdb.h"

using namespace oai;
using Then = pg::Cursor::Then;

namespace {

constexpr pg::Statement kNumbers{
    "numbers", "declare page no scroll cursor for select n from a where n > $1::int order by n limit $2::int"};
constexpr pg::Statement kCount{"count", "select count(*) from a"};

pg::Parameters page(std::int64_t after, std::int64_t limit) { return pg::Parameters().add(after).add(limit); }

std::int64_t integer(const pg::Result& r, int row = 0) { return pg::read_integer(r.bytes(row, 0)); }

struct Fixture {
    test::TestDb db{"cursor"};
    pg::Connection connection{db.conninfo(), "test"};
    Fixture() { db.run("create table a (n int primary key); insert into a select generate_series(1, 10)"); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a cursor gives its rows in any portions, up to its LIMIT") {
    const int portion = GENERATE(1, 3, 7, 8, 100);
    pg::Snapshot snapshot(connection);
    pg::Cursor cursor(snapshot, kNumbers, page(2, 7));
    std::vector<std::int64_t> got;
    for (;;) {
        const auto rows = cursor.fetch(portion);
        for (int i = 0; i < rows.rows(); ++i) got.push_back(integer(rows, i));
        if (rows.rows() < portion) break;
    }
    CHECK(got == std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9});
    CHECK(cursor.fetch(5).rows() == 0);
    snapshot.commit();
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "an empty list is an end at once") {
    pg::Snapshot snapshot(connection);
    CHECK(pg::Cursor(snapshot, kNumbers, page(10, 5)).fetch(5).rows() == 0);
}

TEST_CASE_METHOD(Fixture, "all that is read in a snapshot is of one moment") {
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    db.run("delete from a where n > 5");
    CHECK(integer(snapshot.query(kCount, {})) == 10);
    pg::Cursor cursor(snapshot, kNumbers, page(0, 100));
    CHECK(cursor.fetch(100).rows() == 10);
    snapshot.commit();
    pg::Snapshot later(connection);
    CHECK(integer(later.query(kCount, {})) == 5);
}

TEST_CASE_METHOD(Fixture, "the last fetch can end the snapshot") {
    {
        pg::Snapshot snapshot(connection);
        snapshot.query(kCount, {});
        pg::Cursor cursor(snapshot, kNumbers, page(0, 4));
        CHECK(cursor.fetch(2).rows() == 2);
        CHECK(cursor.fetch(2, Then::commit).rows() == 2);
        CHECK(snapshot.committed());
        CHECK_FALSE(connection.in_transaction());
        cursor.close();
        snapshot.commit();
    }
    pg::Snapshot snapshot(connection);  // BEGIN, DECLARE, FETCH and COMMIT at once
    CHECK(pg::Cursor(snapshot, kNumbers, page(0, 4)).fetch(9, Then::commit).rows() == 4);
    CHECK_FALSE(connection.in_transaction());
}

TEST_CASE_METHOD(Fixture, "a closed cursor makes room for another") {
    pg::Snapshot snapshot(connection);
    pg::Cursor first(snapshot, kNumbers, page(0, 100));
    first.fetch(2);
    first.close();
    pg::Cursor second(snapshot, kNumbers, page(7, 100));
    CHECK(integer(second.fetch(1)) == 8);
}

TEST_CASE_METHOD(Fixture, "a snapshot left behind is rolled back") {
    { pg::Snapshot unused(connection); }
    {
        pg::Snapshot snapshot(connection);
        pg::Cursor(snapshot, kNumbers, page(0, 100)).fetch(1);
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
        pg::Cursor cursor(snapshot, {"bad", "declare page no scroll cursor for select 1 from nowhere"}, {});
        CHECK_THROWS_AS(cursor.fetch(1, Then::commit), pg::Error);
        CHECK_FALSE(snapshot.committed());
    }
    {
        pg::Snapshot snapshot(connection);
        pg::Cursor cursor(
            snapshot, {"bad", "declare page no scroll cursor for select 1 / (5 - n) from a order by n limit 10"}, {});
        CHECK(cursor.fetch(4).rows() == 4);
        CHECK_THROWS_AS(cursor.fetch(4, Then::commit), pg::Error);
    }
    CHECK_FALSE(connection.in_transaction());
    pg::Snapshot snapshot(connection);
    CHECK(integer(snapshot.query(kCount, {})) == 10);
}

TEST_CASE_METHOD(Fixture, "a backend terminated in mid-cursor is unavailable") {
    pg::Snapshot snapshot(connection);
    pg::Cursor cursor(snapshot, kNumbers, page(0, 100));
    cursor.fetch(2);
    db.value("select pg_terminate_backend(" + std::to_string(PQbackendPID(connection.raw())) + ", 5000)");
    try {
        cursor.fetch(2);
        FAIL("the backend is gone");
    } catch (const pg::Error& e) {
        CHECK(e.unavailable());
        CHECK(e.statement() == "numbers");
    }
    CHECK(connection.broken());
}
