// SPDX-License-Identifier: MIT
#include "pg/connection.h"

#include "pg/binary.h"
#include "pg/copy_writer.h"
#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"

namespace {

constexpr pg::Statement kOne{"one", "select 1"};
constexpr pg::Statement kMissing{"missing", "select * from no_such_table"};
constexpr pg::Statement kBegin{"begin", "begin"};

std::int64_t integer(const pg::Result& r) { return pg::read_integer(r.bytes(0, 0)); }

pg::Error error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const pg::Error& e) {
        return e;
    }
    FAIL("nothing was thrown");
    throw std::logic_error("unreachable");
}

void terminate(pg::Connection& victim) {
    pg::Connection killer(cluster_conninfo(), "killer");
    killer.query({"kill", "select pg_terminate_backend($1::int, 5000)"},
                 pg::Parameters().add(std::int64_t{PQbackendPID(victim.raw())}));
}

void send(pg::Connection& c, std::initializer_list<pg::Statement> pipeline) {
    for (const pg::Statement& statement : pipeline) c.send(statement);
    c.flush();
}

struct Connected {
    pg::Connection c{cluster_conninfo(), "test"};
};

}  // namespace

TEST_CASE_METHOD(Connected, "parameters and binary results") {
    const auto r =
        c.query({"echo", "select $1::bigint as n, $2::text as t, $3::int as nothing"},
                pg::Parameters().add(std::int64_t{-5}).add("it's \xC3\xB5; drop").add_null());
    REQUIRE(r.rows() == 1);
    REQUIRE(r.columns() == 3);
    CHECK(r.column_name(0) == "n");
    CHECK(r.column_type(0) == pg::kInt8);
    CHECK(integer(r) == -5);
    CHECK(r.bytes(0, 1) == "it's \xC3\xB5; drop");
    CHECK(r.is_null(0, 2));
    const std::optional<std::int64_t> some = 7, none;
    CHECK(integer(c.query({"echo", "select coalesce($1::bigint, $2::bigint)"},
                          pg::Parameters().add(none).add(some))) == 7);
}

TEST_CASE("a session uses UTF-8 and UTC, whatever the settings of the database") {
    TestDb db("connection");
    db.run("alter database " + db.name() + " set timezone = 'Pacific/Chatham'");
    db.run("alter database " + db.name() + " set client_encoding = 'LATIN1'");
    pg::Connection c(db.conninfo(), "the-name");
    CHECK(c.query({"show", "select current_setting('timezone')"}).bytes(0, 0) == "UTC");
    CHECK(c.query({"show", "select current_setting('client_encoding')"}).bytes(0, 0) == "UTF8");
    CHECK(c.query({"show", "select current_setting('application_name')"}).bytes(0, 0) ==
          "the-name");
}

TEST_CASE("timeouts for a host that stops responding, unless conninfo sets its own") {
    const auto limits = [](const std::string& more) {
        pg::Connection c(cluster_conninfo() + more, "test");
        std::string out;
        const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> all(PQconninfo(c.raw()),
                                                                               PQconninfoFree);
        for (const auto* o = all.get(); o->keyword != nullptr; ++o)
            for (const char* wanted :
                 {"connect_timeout", "keepalives_idle", "keepalives_interval", "tcp_user_timeout"})
                if (o->keyword == std::string_view(wanted))
                    out += std::string(wanted) + "=" + (o->val ? o->val : "") + " ";
        return out;
    };
    CHECK(limits("") ==
          "connect_timeout=5 keepalives_idle=10 keepalives_interval=5 tcp_user_timeout=10000 ");
    CHECK(limits(
              " connect_timeout=2 tcp_user_timeout=3000 keepalives_idle=7 keepalives_interval=6") ==
          "connect_timeout=2 keepalives_idle=7 keepalives_interval=6 tcp_user_timeout=3000 ");
}

TEST_CASE("a failure to connect is reported") {
    const auto e = error_of([] { pg::Connection("host=/nonexistent dbname=x", "test"); });
    CHECK(e.statement() == "connect");
    CHECK(e.unavailable());
    CHECK_THAT(e.what(), Contains("/nonexistent"));
}

TEST_CASE_METHOD(
    Connected,
    "a missing table is a temporary error, since a restore may be under way, and the connection "
    "stays usable") {
    const auto e = error_of([&] { c.query(kMissing); });
    CHECK(e.statement() == "missing");
    CHECK(e.sqlstate() == "42P01");
    CHECK(e.unavailable());
    CHECK_THAT(e.what(), Contains("no_such_table"));
    CHECK(integer(c.query(kOne)) == 1);
}

TEST_CASE_METHOD(
    Connected,
    "a statement cancelled by its timeout is a temporary error, and the connection stays usable") {
    c.script("set", "set statement_timeout = 300");
    const auto e = error_of([&] { c.query({"sleep", "select pg_sleep(600)"}); });
    CHECK(e.sqlstate() == "57014");
    CHECK(e.unavailable());
    CHECK_FALSE(c.broken());
    c.script("set", "set statement_timeout = 0");
    CHECK(integer(c.query(kOne)) == 1);
}

TEST_CASE_METHOD(
    Connected,
    "SQLSTATE classes 08, 40, 53 and 57 and an incomplete schema are temporary errors, all others "
    "are faults") {
    struct Case {
        const char* sqlstate;
        bool unavailable;
    };
    const auto t = GENERATE(Case{"08006", true}, Case{"40001", true}, Case{"53300", true},
                            Case{"57P03", true}, Case{"22021", false}, Case{"42501", true},
                            Case{"3F000", true}, Case{"0A000", true}, Case{"42601", false},
                            Case{"XX000", false}, Case{"58030", false});
    const std::string raise =
        "do $$ begin raise exception 'so' using errcode = '"s + t.sqlstate + "'; end $$";
    const auto e = error_of([&] { c.query({"raise", raise.c_str()}); });
    CHECK(e.sqlstate() == t.sqlstate);
    CHECK(e.unavailable() == t.unavailable);
    CHECK(e.what() == "raise: so"s);
}

TEST_CASE("kinds of trouble are told apart, each with what to do") {
    struct Case {
        const char *statement, *sqlstate, *what, *remedy;
        bool is_lost;
    };
    const auto t = GENERATE(
        Case{"connect", "", "The database cannot be reached", "[database] connection", true},
        Case{"list", "", "The connection to the database was lost", "systemctl", true},
        Case{"list", "57014", "The database took too long", "statement_timeout", false},
        Case{"list", "57P01", "The database is being restarted", "systemctl", true},
        Case{"list", "42501", "The database refuses a right", "oai schema install", false},
        Case{"list", "25006", "The database may only be read", "target_session_attrs", false},
        Case{"list", "53100", "The database has no room left", "disk is full", false},
        Case{"list", "53300", "The database has no connection left", "max_connections", false},
        Case{"list", "55P03", "The database is locked by another program", "oai check", false},
        Case{"list", "42P01", "The database is being set up", "oai schema", false},
        Case{"list", "22012", "The repository is out of order", "so", false},
        Case{"decode", "", "The repository is out of order", "so", false});
    const pg::Error e("so", t.statement, t.sqlstate, t.is_lost);
    CHECK(pg::trouble_of(e).what == t.what);
    CHECK_THAT(pg::with_remedy(e), Contains(t.remedy) && StartsWith("so"));
    CHECK(e.unavailable() == (pg::trouble_of(e).what != "The repository is out of order"));
}

TEST_CASE_METHOD(Connected,
                 "a terminated backend is a temporary error and leaves the connection broken") {
    CHECK(c.is_quiet());
    terminate(c);
    CHECK_FALSE(c.is_quiet());
    const bool piped = GENERATE(false, true);
    const auto e = error_of([&] {
        if (!piped) c.query(kOne);
        send(c, {kOne});
        c.take();
    });
    CHECK(e.unavailable());
    CHECK(c.broken());
    c.reset_quietly();
    CHECK(c.broken());
}

TEST_CASE("an error in a script has the line where it is") {
    TestDb db("connection");
    const std::string good = "-- \xC3\xB5\xC3\xB5\xC3\xB5\xC3\xB5\ncreate table a (x int);\n";
    const auto e = error_of([&] { db.owner().script("file.sql", good + "\nselect y\nfrom a;\n"); });
    CHECK_THAT(e.what(), StartsWith("file.sql:4: "));
    CHECK(e.statement() == "file.sql");
    CHECK(db.value("select to_regclass('a')") == "NULL");  // the whole script is one transaction
    db.owner().script("file.sql", good);
    db.owner().script("empty.sql", "-- nothing\n");
    const auto vague = error_of(
        [&] { db.owner().script("file.sql", "do $$ begin raise exception 'so'; end $$"); });
    CHECK(vague.what() == "file.sql: so"s);
}

TEST_CASE_METHOD(Connected, "a pipeline gives one result for each statement, in order") {
    for (int round = 0; round < 2; ++round) {
        for (std::int64_t i = 0; i < 5; ++i)
            c.send({"echo", "select $1::bigint"}, pg::Parameters().add(i));
        c.flush();
        for (std::int64_t i = 0; i < 5; ++i) CHECK(integer(c.take()) == i);
        CHECK(integer(c.query(kOne)) == 1);
    }
}

TEST_CASE_METHOD(Connected, "a failure in a pipeline names its statement and skips the rest") {
    send(c, {kBegin, kMissing, kOne});
    c.take();
    const auto e = error_of([&] { c.take(); });
    CHECK(e.statement() == "missing");
    CHECK(e.sqlstate() == "42P01");
    CHECK(c.in_transaction());
    c.reset_quietly();
    CHECK_FALSE(c.in_transaction());
    CHECK(integer(c.query(kOne)) == 1);
}

TEST_CASE_METHOD(Connected,
                 "a prepared statement is parsed once by each connection, alone and in pipelines") {
    constexpr pg::Statement twice{"twice", "select 2 * $1::bigint", true};
    const auto prepared = [&] {
        return integer(c.query({"prepared", "select count(*) from pg_prepared_statements"}));
    };
    for (int i = 0; i < 3; ++i) {
        CHECK(integer(c.query(twice, pg::Parameters().add(std::int64_t{i}))) == 2 * i);
        c.send(kOne);
        c.send(twice, pg::Parameters().add(std::int64_t{i}));
        c.send(twice, pg::Parameters().add(std::int64_t{i + 1}));
        c.flush();
        CHECK(integer(c.take()) == 1);
        CHECK(integer(c.take()) == 2 * i);
        CHECK(integer(c.take()) == 2 * i + 2);
    }
    CHECK(prepared() == 1);
}

TEST_CASE_METHOD(
    Connected, "a statement whose preparation follows a failure in a pipeline is prepared again") {
    constexpr pg::Statement three{"three", "select 3", true},
        broken{"broken", "select no_such_column", true};
    send(c, {three, broken});
    CHECK(integer(c.take()) == 3);
    CHECK(error_of([&] { c.take(); }).statement() == "broken"s);
    send(c, {kMissing, three});
    CHECK(error_of([&] { c.take(); }).statement() == "missing"s);
    CHECK(integer(c.query(three)) == 3);
    CHECK_THROWS_AS(c.query(broken), pg::Error);
    CHECK(integer(c.query(three)) == 3);
}

TEST_CASE("a prepared statement survives a change of a view's columns") {
    TestDb db("prepared");
    db.run("create view v as select 1 as a");
    pg::Connection c(db.conninfo(), "test");
    constexpr pg::Statement all{"all", "select * from v", true};
    CHECK(c.query(all).columns() == 1);
    db.run("create or replace view v as select 1 as a, 2 as b");
    CHECK(c.query(all).columns() == 2);
    db.run("create or replace view v as select 1 as a, 2 as b, 3 as c");
    send(c, {kBegin, all});
    c.take();
    CHECK(
        error_of([&] { c.take(); }).unavailable());  // this transaction is lost, the next one works
    c.reset_quietly();
    send(c, {all});
    CHECK(c.take().columns() == 3);
}

TEST_CASE("a connection is broken after waiting too long for a result") {
    TestDb db("connection");
    using namespace std::chrono_literals;
    constexpr pg::Statement kSlow{"slow", "select pg_sleep(600)"};
    pg::Connection c(db.conninfo(), "test", pg::Connection::Host::any, 1500ms);
    const auto began = std::chrono::steady_clock::now();
    const auto given_up = [&](const std::function<void()>& f) {
        const auto e = error_of(f);
        CHECK(e.unavailable());
        CHECK(e.what() == "slow: no answer within 1500 ms; the server process hangs"s);
        CHECK(c.broken());
    };
    SECTION("a query") {
        given_up([&] { c.query(kSlow); });
    }
    SECTION("a script") {
        given_up([&] { c.script("slow", kSlow.text); });
    }
    SECTION("a pipeline") {
        send(c, {kSlow, kOne});
        given_up([&] { c.take(); });
    }
    SECTION("leaving a pipeline") {
        send(c, {kSlow});
        c.reset_quietly();
        CHECK(c.broken());
    }
    CHECK(std::chrono::steady_clock::now() - began >= 1490ms);
    c.reset_quietly();  // must not block
}

TEST_CASE("a reset ends whatever the connection is doing") {
    TestDb db("connection");
    db.run("create table a (x int)");
    pg::Connection c(db.conninfo(), "test");
    SECTION("a pipeline sent but not flushed") {
        c.send(kBegin);
        c.send(kOne);
    }
    SECTION("a pipeline half taken") {
        send(c, {kBegin, kOne});
        c.take();
    }
    SECTION("a transaction") { c.query(kBegin); }
    SECTION("a COPY in a transaction") {
        c.query(kBegin);
        pg::CopyWriter writer(c, {"copy", "copy a from stdin"});
        writer.add("1");
    }
    c.reset_quietly();
    CHECK_FALSE(c.broken());
    CHECK_FALSE(c.in_transaction());
    CHECK(c.is_quiet());
    CHECK(integer(c.query({"count", "select count(*) from a"})) == 0);
}

TEST_CASE("text format: an array's elements are quoted, quotes and backslashes escaped") {
    CHECK(pg::array_literal({}) == "{}");
    CHECK(pg::array_literal({"a"}) == R"({"a"})");
    CHECK(pg::array_literal({"", "NULL", "a,b {c}"}) == R"({"","NULL","a,b {c}"})");
    CHECK(pg::array_literal({R"(\)", R"(a"b\"c)"}) == R"({"\\","a\"b\\\"c"})");
    CHECK(pg::int_array_literal({}) == "{}");
    CHECK(pg::int_array_literal(std::vector{1, -7, 30}) == "{1,-7,30}");
}
