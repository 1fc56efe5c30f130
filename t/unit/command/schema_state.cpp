// SPDX-License-Identifier: MIT
#include "command/schema_state.h"

#include "t/lib/unit_headers.h"

using namespace oai::command;

namespace {

constexpr SchemaFile kFiles[] = {
    {"core/tables.sql", "aaaa",
     "create table oai.horizon (h int);\ncreate index newest on oai.horizon (h);\n"},
    {"core/publish.sql", "bbbb",
     "create or replace function oai.publish(n int) returns int language sql as '1';\n"},
    {"library/tables.sql", "cccc", "create table library.item (id int);\n"},
    {"library/views.sql", "dddd", "create or replace view oai.item as select 1;\n"},
    {"harvest/tables.sql", "eeee", "create table harvest.repository (id int);\n"},
    {"webarchiv/tables.sql", "ffff", "create table webarchiv.doc (id int);\n"},
    {"upgrade/0001-core-x.sql", "1111", "alter table oai.horizon add x int;\n"},
    {"upgrade/0002-webarchiv-y.sql", "2222", "alter table webarchiv.doc add y int;\n"},
    {"models/tables.sql", "gggg", "create table oai.words_state (seq int);\n"},
};

// A library as this program installs it.
InstalledSchema library() {
    InstalledSchema installed;
    for (const SchemaFile& file : kFiles)
        if (room_of(file) != "webarchiv")
            installed.files.push_back(
                {std::string(file.name), std::string(file.checksum), "1.2", {}});
    installed.objects = {{"table", "oai.horizon", "horizon"},
                         {"index", "oai.newest", "newest"},
                         {"function", "oai.publish(n integer)", "publish"},
                         {"table", "oai.words_state", "words_state"},
                         {"table", "library.item", "item"},
                         {"view", "oai.item", "item"},
                         {"table", "harvest.repository", "repository"}};
    return installed;
}

void drop(InstalledSchema& installed, const std::string& name) {
    std::erase_if(
        installed.objects, [&](const DatabaseObject& o) { return o.name == name; });
}

void forget(InstalledSchema& installed, const std::string& name) {
    std::erase_if(
        installed.files, [&](const InstalledFile& f) { return f.name == name; });
}

InstalledFile& file(InstalledSchema& installed, const std::string& name) {
    for (InstalledFile& f : installed.files)
        if (f.name == name) return f;
    throw std::logic_error(name);
}

SchemaComparison compare(const InstalledSchema& installed, const std::string& model = "") {
    return compare_schema(kFiles, "1.2", installed, model);
}

using Names = std::vector<std::string_view>;

}  // namespace

TEST_CASE("schema state: an empty database lacks the rooms of the requested model") {
    CHECK(compare({}).new_rooms == Names{"core"});
    const auto state = compare({}, "library");
    CHECK(state.problems.empty());
    CHECK(state.new_rooms == Names{"core", "models", "library", "harvest"});
    CHECK(state.upgrades.empty());  // the tables are made as they are after all upgrades
}

TEST_CASE("schema state: nothing is to be done where all is there; the model is remembered") {
    const InstalledSchema installed = library();
    const auto state = compare(installed);
    CHECK(state.is_current());
    CHECK(state.model == "library");
    CHECK(compare(installed, "library").is_current());
    const auto other = compare(installed, "webarchiv");
    REQUIRE(other.problems.size() == 1);
    CHECK_THAT(other.problems[0], Contains("has the model library, not webarchiv"));
}

TEST_CASE("schema state: upgrades that are missing, of the rooms that the database has") {
    InstalledSchema installed = library();
    forget(installed, "upgrade/0001-core-x.sql");
    forget(installed, "upgrade/0002-webarchiv-y.sql");
    const auto state = compare(installed);
    REQUIRE(state.upgrades.size() == 1);
    CHECK(state.upgrades[0]->name == "upgrade/0001-core-x.sql");
    CHECK(state.differing.empty());
}

TEST_CASE("schema state: definitions that differ, or are missing") {
    InstalledSchema installed = library();
    file(installed, "core/publish.sql").checksum = "9999";
    drop(installed, "oai.item");
    const auto state = compare(installed);
    CHECK(state.problems.empty());
    CHECK(state.differing == Names{"core/publish.sql", "library/views.sql"});
    CHECK_FALSE(state.is_current());
}

TEST_CASE("schema state: what keeps an installation from going on says what to do") {
    InstalledSchema installed = library();
    std::string problem;
    SECTION("a later release") {
        file(installed, "core/publish.sql").release = "1.10";
        problem =
            "oai-fcgi 1.10, this program is oai-fcgi 1.2: the database was upgraded by a later";
    }
    SECTION("an upgrade of a later program of the same release") {
        installed.files.push_back({"upgrade/0003-core-z.sql", "3333", "1.2", {}});
        problem = "the database has upgrade/0003-core-z.sql of oai-fcgi 1.2";
    }
    SECTION("an upgrade with another text") {
        file(installed, "upgrade/0001-core-x.sql").checksum = "9999";
        problem = "upgrade/0001-core-x.sql was applied to the database with checksum 9999";
    }
    SECTION("a test version's numbered files") {
        installed = {};
        installed.files.push_back({"001-contract.sql", "1111", "0", {}});
        installed.is_test_version = true;
        problem = "made by a test version before the first release";
    }
    SECTION("a table is missing") {
        drop(installed, "library.item");
        problem = "the database lacks library.item: a restore broke off";
    }
    SECTION("an index is missing") {
        drop(installed, "oai.newest");
        problem = "the database lacks oai.newest: a restore broke off";
    }
    SECTION("tables without data") {
        installed.files.clear();
        problem = "but oai.schema_version does not say what made them: a restore broke off";
    }
    SECTION("data without the horizon") {
        installed.has_horizon = false;
        problem = "oai.horizon has no row";
    }
    const auto state = compare(installed);
    REQUIRE(state.problems.size() == 1);
    CHECK_THAT(state.problems[0], Contains(problem));
}

TEST_CASE("schema state: what no file makes is foreign") {
    InstalledSchema installed = library();
    installed.objects.push_back({"index", "library.mine", "mine"});
    installed.objects.push_back({"index", "library.item_pkey", ""});
    const auto state = compare(installed);
    REQUIRE(state.foreign.size() == 1);
    CHECK(state.foreign[0]->name == "library.mine");
    CHECK(state.is_current());
}

TEST_CASE("schema state: names of what is created") {
    const std::string text =
        "create table if not exists oai.a (b int);\ncreate unique index c on oai.a (b);\n"
        "create or replace function f() returns void as $$\n"
        "    execute 'create or replace trigger g after insert on x'; execute 'alter table h "
        "rename to i';\n";
    CHECK(named_objects(text) == std::set<std::string, std::less<>>{"a", "c", "f", "g", "i"});
    CHECK(made_tables(text) == std::set<std::string, std::less<>>{"oai.a", "oai.c"});
}

TEST_CASE("schema state: statements that may wait for others stand alone") {
    const std::string text =
        "-- a\ncreate or replace function f() x;\ncreate or replace view v as\n    select 1;\n"
        "comment on view v is 'a;\nb';\ncreate or replace trigger t on v;\ngrant select on v to "
        "r;\n";
    const auto parts = split_definitions(text);
    std::string together;
    Names locking;
    for (const Statement& part : parts) {
        together += part.text;
        if (part.may_lock) locking.push_back(part.text);
    }
    CHECK(together == text);
    CHECK(locking == Names{"create or replace view v as\n    select 1;\n",
                           "comment on view v is 'a;\nb';\n",
                           "create or replace trigger t on v;\n"});
    CHECK(parts.back().text == "grant select on v to r;\n");
    CHECK(parts.back().line == 8);
    CHECK(parts[1].line == 3);
}

TEST_CASE("schema state: the room of a file") {
    CHECK(room_of(kFiles[1]) == "core");
    CHECK(room_of(kFiles[7]) == "webarchiv");
    CHECK(is_upgrade(kFiles[7]));
    CHECK(is_tables(kFiles[0]));
    CHECK_FALSE(is_tables(kFiles[1]));
    CHECK(model_names() == Strings{"webarchiv", "library"});
}
