// SPDX-License-Identifier: MIT
// oai schema [install]: reports which schema files a database has, and applies missing ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/utc.h"
#include "command/command.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "command/short_locks.h"

namespace oai::command {
namespace {

struct SchemaOptions {
    std::string action = "report";
    std::string connection;  // "": the environment variables of libpq, as with psql
    std::string model;
};

SchemaOptions read_schema_options(const Invocation& invocation) {
    SchemaOptions options;
    Options app{
        "Reports which schema files the database has; with install, applies the missing ones."};
    app.add("action", options.action, "report or install").one_of({"report", "install"});
    app.add("--connection", options.connection,
            "libpq connection string of a role that may create schemas; default: PGHOST and "
            "the other variables of libpq");
    app.add("--model", options.model,
            "the model whose tables to create; needed once, the database remembers it")
        .one_of(model_names());
    parse(app, invocation);
    return options;
}

void print_problems(const SchemaComparison& state) {
    for (const std::string& problem : state.problems)
        fmt::print(stderr, "oai: schema: {}\n", problem);
}

int report(const std::vector<InstalledFile>& installed, const SchemaComparison& state) {
    for (const InstalledFile& file : installed)
        fmt::print("{}\tapplied {}\t{}\n", file.name, print_utc(file.applied_at), file.checksum);
    for (const SchemaFile* file : state.missing)
        fmt::print("{}\tmissing\t{}\n", file->name, file->checksum);
    fmt::print("model\t{}\n", state.model.empty() ? "none" : state.model);
    print_problems(state);
    if (!state.missing.empty())
        fmt::print(stderr, "oai: schema: {} files are missing; oai schema install applies them\n",
                   state.missing.size());
    return state.problems.empty() && state.missing.empty() ? kFine : kRefused;
}

// Applies the file and records it as applied, in one transaction.
void apply(pg::Connection& connection, const SchemaFile& file) {
    const std::string name(file.name);
    with_short_locks(connection, "schema: " + name, [&] {
        connection.script(name.c_str(), std::string(file.text));
        connection.query(queries::kRecordSchemaFile,
                         pg::Parameters().add(file.name).add(file.checksum));
    });
    fmt::print("{}\tapplied\n", file.name);
    std::fflush(stdout);
}

int install(pg::Connection& connection, const SchemaOptions& options) {
    connection.query(queries::kLockSchema);
    const auto state = compare_schema(schema_files(), read_installed(connection), options.model);
    print_problems(state);
    if (!state.problems.empty()) return kRefused;
    connection.script(queries::kCreateSchemaVersion.name, queries::kCreateSchemaVersion.text);
    for (const SchemaFile* file : state.missing) apply(connection, *file);
    connection.script(queries::kGrantSchemaVersion.name, queries::kGrantSchemaVersion.text);
    fmt::print("{} files applied, model {}\n", state.missing.size(),
               state.model.empty() ? "none" : state.model);
    return kFine;
}

}  // namespace

int command_schema(const Invocation& invocation) {
    const SchemaOptions options = read_schema_options(invocation);
    pg::Connection connection(options.connection, "oai schema");
    if (options.action == "install") return install(connection, options);
    const auto installed = read_installed(connection);
    return report(installed, compare_schema(schema_files(), installed, options.model));
}

}  // namespace oai::command
