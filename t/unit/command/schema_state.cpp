// SPDX-License-Identifier: MIT
#include "command/schema_state.h"

#include <catch2/catch.hpp>

using namespace oai;
using namespace oai::command;

namespace {

constexpr SchemaFile kFiles[] = {
    {"001-a.sql", "aaaaaaaaaaaaaaaa", "select 1;"},
    {"002-b.sql", "bbbbbbbbbbbbbbbb", "select 2;"},
    {"101-c.sql", "cccccccccccccccc", "select 3;"},
    {"102-d.sql", "dddddddddddddddd", "select 4;", "eeeeeeeeeeeeeeee ffffffffffffffff "},
};

InstalledFile installed(const SchemaFile& file) {
    return {std::string(file.name), std::string(file.checksum), {}};
}

std::vector<std::string> missing(const SchemaComparison& comparison) {
    std::vector<std::string> names;
    for (const SchemaFile* file : comparison.missing) names.emplace_back(file->name);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("schema state: an empty database lacks the core and the requested model") {
    const auto core = compare_schema(kFiles, {}, "");
    CHECK(core.problems.empty());
    CHECK(core.model == "");
    CHECK(missing(core) == Names{"001-a.sql", "002-b.sql"});
    const auto all = compare_schema(kFiles, {}, "webarchiv");
    CHECK(all.model == "webarchiv");
    CHECK(missing(all) == Names{"001-a.sql", "002-b.sql", "101-c.sql", "102-d.sql"});
}

TEST_CASE("schema state: the database remembers its model") {
    const std::vector<InstalledFile> some{installed(kFiles[0]), installed(kFiles[2])};
    for (const char* wanted : {"", "webarchiv"}) {
        const auto state = compare_schema(kFiles, some, wanted);
        CHECK(state.problems.empty());
        CHECK(state.model == "webarchiv");
        CHECK(missing(state) == Names{"002-b.sql", "102-d.sql"});
    }
    const auto other = compare_schema(kFiles, some, "library");
    REQUIRE(other.problems.size() == 1);
    CHECK(other.problems[0].find("has the model webarchiv, not library") != std::string::npos);
}

TEST_CASE("schema state: nothing is missing when all files are applied") {
    std::vector<InstalledFile> all;
    for (const SchemaFile& file : kFiles) all.push_back(installed(file));
    const auto state = compare_schema(kFiles, all, "");
    CHECK(state.problems.empty());
    CHECK(state.missing.empty());
}

TEST_CASE("schema state: changed and unknown files are problems that say what to do") {
    const std::vector<InstalledFile> odd{{"001-a.sql", "0123456789abcdef", {}},
                                         {"003-z.sql", "eeeeeeeeeeeeeeee", {}}};
    const auto state = compare_schema(kFiles, odd, "");
    REQUIRE(state.problems.size() == 2);
    CHECK(state.problems[0].starts_with(
        "001-a.sql in the database has checksum 0123456789ab, in this program aaaaaaaaaaaa: "));
    CHECK(state.problems[1].starts_with(
        "the database has 003-z.sql, which this program does not know: "));
}

TEST_CASE("schema state: a file of which only comments have changed since is the same") {
    for (const char* checksum : {"dddddddddddddddd", "eeeeeeeeeeeeeeee", "ffffffffffffffff"}) {
        const std::vector<InstalledFile> earlier{{"102-d.sql", checksum, {}}};
        CHECK(compare_schema(kFiles, earlier, "").problems.empty());
    }
    for (const char* checksum : {"eeeeeeeeeeeeeee", "eeeeeeeeeeeeeeee ffffffffffffffff", "", " "}) {
        const std::vector<InstalledFile> changed{{"102-d.sql", checksum, {}}};
        CHECK(compare_schema(kFiles, changed, "").problems.size() == 1);
    }
}

TEST_CASE("schema state: a model without files is a problem") {
    const auto state = compare_schema(kFiles, {}, "library");
    REQUIRE(state.problems.size() == 1);
    CHECK(state.problems[0] == "this program has no schema files of the model library");
}

TEST_CASE("schema state: the number of a file gives its model") {
    CHECK(model_of_file("004-rights.sql") == "");
    CHECK(model_of_file("101-webarchiv.sql") == "webarchiv");
    CHECK(model_of_file("201-library.sql") == "library");
    CHECK_FALSE(model_of_file("301-x.sql"));
    CHECK_FALSE(model_of_file(""));
    CHECK(model_names() == Names{"webarchiv", "library"});
}
