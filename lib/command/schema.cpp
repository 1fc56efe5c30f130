// SPDX-License-Identifier: MIT
// oai schema [status|install]: compares a database's schema with this program's, and updates it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "command/command.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "pg/binary.h"

namespace oai::command {
namespace {

constexpr std::string_view kInsufficientPrivilege = "42501";

struct SchemaOptions {
    std::string action = "status";
    std::string connection;  // "": the environment variables of libpq, as with psql
    std::string model;
};

SchemaOptions read_schema_options(const Invocation& invocation) {
    SchemaOptions options;
    parse(invocation,
          "Says which schema the database has; with install, brings it to that of this program.",
          {{"action", &options.action, "status or install", one_of({"status", "install"})},
           {"--connection", &options.connection,
            "libpq connection string of a role that may create schemas; default: PGHOST and "
            "the other variables of libpq"},
           {"--model", &options.model,
            "the model whose tables to create; needed once, the database remembers it",
            one_of(model_names())}});
    return options;
}

void print_problems(const SchemaComparison& state) {
    for (const std::string& problem : state.problems)
        print_problem("schema: " + problem, "OAI-1599");
}

void print_release(const InstalledSchema& installed) {
    const auto latest = std::max_element(
        installed.files.begin(), installed.files.end(),
        [](const InstalledFile& a, const InstalledFile& b) { return a.applied_at < b.applied_at; });
    if (latest == installed.files.end()) return fmt::print("release\tnone\n");
    fmt::print("release\t{}\t{}\n", latest->release, print_utc(latest->applied_at));
}

int print_status(const InstalledSchema& installed, const SchemaComparison& state) {
    print_release(installed);
    fmt::print("model\t{}\n", state.model.empty() ? "none" : state.model);
    for (const SchemaFile* file : state.upgrades) fmt::print("{}\tmissing\n", file->name);
    for (const std::string_view room : state.new_rooms) fmt::print("{}\tmissing\n", room);
    if (state.new_rooms.empty() && state.problems.empty())
        fmt::print("definitions\t{}\n", state.differing.empty() ? "current" : "to be applied");
    for (const std::string_view file : state.differing) fmt::print("{}\tdiffers\n", file);
    for (const DatabaseObject* object : state.foreign)
        fmt::print("foreign\t{} {}\n", object->kind, object->name);
    print_problems(state);
    if (state.problems.empty() && !state.is_current())
        print_problem(fmt::format("schema: the database lacks a part of oai-fcgi {}; oai schema "
                                  "install applies it",
                                  schema_release()),
                      "OAI-1512");
    return state.is_current() ? kFine : kRefused;
}

void record(pg::Connection& connection, const SchemaFile& file) {
    connection.query(queries::kRecordSchemaFile,
                     pg::Parameters().add(file.name).add(file.checksum).add(schema_release()));
}

// Replaces only definitions that differ, so that users of the others need not wait.
void apply_definitions(pg::Connection& connection, const SchemaFile& file) {
    for (const Statement& part : split_definitions(file.text)) {
        if (!part.may_lock) {
            // Preceded by empty lines, so that messages of PostgreSQL have the line of the file.
            connection.script(std::string(file.name).c_str(),
                              std::string(part.line - 1, '\n').append(part.text));
            continue;
        }
        try {
            connection.query(queries::kDefine, pg::Parameters().add(part.text));
        } catch (const pg::Error& e) {
            throw pg::Error(fmt::format("{}:{}: {}", file.name, part.line, e.what()), e.statement(),
                            e.sqlstate(), e.is_lost());
        }
    }
}

bool has(const std::vector<std::string_view>& rooms, const SchemaFile& file) {
    return std::find(rooms.begin(), rooms.end(), room_of(file)) != rooms.end();
}

void record_all(pg::Connection& connection, const SchemaComparison& state) {
    std::string names;
    for (const SchemaFile& file : schema_files()) {
        if (!has(state.rooms, file)) continue;
        record(connection, file);
        names += fmt::format("{}{}", names.empty() ? "" : ",", file.name);
    }
    connection.query(queries::kForgetSchemaFiles, pg::Parameters().add("{" + names + "}"));
}

void apply_rights(pg::Connection& connection, const SchemaComparison& state) {
    for (const SchemaFile& file : schema_files())
        if (has(state.rooms, file) && file.name.ends_with("/rights.sql"))
            apply_definitions(connection, file);
    record_all(connection, state);
}

// Creates the tables of new rooms and applies all definitions, in one transaction. Upgrades have
// been applied before; the tables of a new room include them.
void apply_rooms(pg::Connection& connection, const SchemaComparison& state) {
    for (const SchemaFile& file : schema_files()) {
        if (!has(state.rooms, file) || is_upgrade(file)) continue;
        if (!is_tables(file))
            apply_definitions(connection, file);
        else if (has(state.new_rooms, file))
            connection.script(std::string(file.name).c_str(), std::string(file.text));
    }
    record_all(connection, state);
}

void apply_upgrade(pg::Connection& connection, const SchemaFile& file) {
    with_short_locks(connection, fmt::format("schema: {}", file.name), [&] {
        connection.script(std::string(file.name).c_str(), std::string(file.text));
        record(connection, file);
    });
    fmt::print("{}\tapplied\n", file.name);
    std::fflush(stdout);
}

void wait_for_turn(pg::Connection& connection) {
    if (pg::read_bool(connection.query(queries::kTryLockSchema).bytes(0, 0))) return;
    print_problem("schema: waits for another oai schema install, or oai map, to end");
    connection.query(queries::kLockSchema);
}

int install(pg::Connection& connection, const SchemaOptions& options) {
    wait_for_turn(connection);
    connection.query(queries::kQuietMessages);
    const InstalledSchema installed = read_installed(connection);
    if (!installed.lacks_right.empty())
        throw std::runtime_error("schema: " + installed.lacks_right);
    const auto state = compare_schema(schema_files(), schema_release(), installed, options.model);
    print_problems(state);
    if (!state.problems.empty()) return kRefused;
    for (const SchemaFile* file : state.upgrades) apply_upgrade(connection, *file);
    if (state.is_current()) {
        // Rights may have been lost by a dump and restore.
        with_short_locks(connection, "schema: rights", [&] { apply_rights(connection, state); });
    } else {
        with_short_locks(connection, "schema: definitions",
                         [&] { apply_rooms(connection, state); });
        for (const std::string_view room : state.new_rooms) fmt::print("{}\tmade\n", room);
        fmt::print("definitions\tapplied\n");
    }
    fmt::print("the database has the schema of oai-fcgi {}, model {}\n", schema_release(),
               state.model.empty() ? "none" : state.model);
    return kFine;
}

}  // namespace

int command_schema(const Invocation& invocation) {
    const SchemaOptions options = read_schema_options(invocation);
    pg::Connection connection(options.connection, "oai schema");
    if (options.action == "install") {
        try {
            return install(connection, options);
        } catch (const pg::Error& e) {
            if (e.sqlstate() != kInsufficientPrivilege) throw;
            throw std::runtime_error(
                fmt::format("{}; run this as a superuser, or as the role that owns the schema and "
                            "may create roles",
                            e.what()));
        }
    }
    const InstalledSchema installed = read_installed(connection);
    if (!installed.is_readable) throw std::runtime_error("schema: " + installed.lacks_right);
    return print_status(installed,
                        compare_schema(schema_files(), schema_release(), installed, options.model));
}

}  // namespace oai::command
