// SPDX-License-Identifier: MIT
// What a gateway remembers, with the real schema and the loader's role.
#include <catch2/catch.hpp>

#include "t/lib/testdb.h"
#include "tools/static_repository/importer.h"

using namespace oai;
using namespace oai::static_repository;

namespace {

struct GatewayDatabase {
    GatewayDatabase() : db("static") {
        db.install_schema(test::kLibrary);
        connection.emplace(db.conninfo("oai_loader"), "test");
    }
    std::string alive() {
        return db.value(
            "select coalesce(string_agg(local_id, ' ' order by local_id), '') from library.item "
            "where not deleted");
    }
    void add(const std::string& local_id) {
        db.run("insert into library.item (local_id, title) values ('" + local_id + "', '{t}')");
    }
    test::TestDb db;
    std::optional<pg::Connection> connection;
};

const Intermediation kWhich{.url = "http://a.example/r.xml",
                            .base_url = "http://g.example/a.example/r.xml",
                            .collection = "museum",
                            .admin_emails = {"a@a.example", "b@a.example"},
                            .keep = true};

}  // namespace

TEST_CASE("source state: a static repository from its first intermediation to its end") {
    GatewayDatabase gateway;
    SourceState account(*gateway.connection);
    CHECK_FALSE(account.read());
    for (const char* id : {"a", "b", "c", "own"}) gateway.add(id);
    account.begin(kWhich, {"a", "b", "c"});
    REQUIRE(account.read());
    CHECK(account.read()->admin_emails == kWhich.admin_emails);
    CHECK(account.read()->collection == "museum");
    CHECK(account.read()->keep);
    CHECK(account.read()->taken_at.empty());
    CHECK(account.read()->validators.empty());
    account.finish({"\"v1\"", ""});
    CHECK(account.read()->validators.etag == "\"v1\"");
    CHECK(account.read()->taken_at.size() == 20);

    account.note_failure("HTTP status 500");
    const std::string since = account.read()->failing_since;
    CHECK(since.size() == 20);
    gateway.db.run(
        "update harvest.static_repository set failing_since = failing_since - interval '1 day'");
    const std::string earlier = account.read()->failing_since;
    account.note_failure("HTTP status 404");
    CHECK(account.read()->failing_since == earlier);
    CHECK(gateway.db.value("select problem from harvest.static_repository") == "HTTP status 404");
    account.note_unchanged();
    CHECK(account.read()->failing_since.empty());
    CHECK(account.read()->validators.etag == "\"v1\"");

    SECTION("the validators are forgotten while a file is being loaded") {
        account.begin(kWhich, {"a", "b"});
        CHECK(account.read()->validators.empty());
        CHECK(account.delete_others({"a", "b"}) == 1);
        CHECK(gateway.alive() == "a b own");
        CHECK(account.delete_others({"a", "b"}) == 0);
    }
    SECTION("what the file says of its formats is that of the last file, to the end") {
        account.note_formats({{"oai_dc", "urn:s", "urn:n"}, {"edm", "urn:e", "urn:f"}});
        account.note_formats({{"oai_dc", "urn:s", "urn:new"}, {"mods", "urn:m", "urn:o"}});
        REQUIRE(noted_format(*gateway.connection, "oai_dc"));
        CHECK(noted_format(*gateway.connection, "oai_dc")->name_space == "urn:new");
        CHECK(noted_format(*gateway.connection, "mods")->schema == "urn:m");
        CHECK_FALSE(noted_format(*gateway.connection, "edm"));
        account.end();
        CHECK_FALSE(noted_format(*gateway.connection, "oai_dc"));
    }
    SECTION("the end deletes all of its items, and no others") {
        CHECK(account.end() == 3);
        CHECK(gateway.alive() == "own");
        CHECK_FALSE(account.read());
    }
    SECTION("items that others have deleted, or that never existed, are not counted") {
        gateway.db.run("update library.item set deleted = true where local_id = 'a'");
        account.begin(kWhich, {"a", "b", "c", "never"});
        CHECK(account.end() == 2);
    }
}

TEST_CASE("source state: more items than one transaction deletes") {
    GatewayDatabase gateway;
    gateway.db.run(
        "insert into library.item (local_id, title) select 'i' || n, '{t}' from generate_series(1, "
        "2500) n");
    std::set<std::string> all;
    for (int i = 1; i <= 2500; ++i) all.insert("i" + std::to_string(i));
    SourceState account(*gateway.connection);
    account.begin(kWhich, all);
    CHECK(account.end() == 2500);
    CHECK(gateway.alive().empty());
}

TEST_CASE("source state: one process at a time, and only with the model library") {
    GatewayDatabase gateway;
    const SourceState account(*gateway.connection);
    pg::Connection other(gateway.db.conninfo("oai_loader"), "test");
    CHECK_THROWS_WITH(SourceState(other), Catch::Matchers::Contains("another `oai import-static`"));
    test::TestDb bare("static_bare");
    pg::Connection nothing(bare.conninfo(), "test");
    CHECK_THROWS_WITH(SourceState(nothing), Catch::Matchers::Contains("no model library"));
}
