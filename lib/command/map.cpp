// SPDX-License-Identifier: MIT
// oai map: serves tables of one's own. It makes views and triggers of what map.ini says, and finds
// what has changed where there are no triggers.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "command/check.h"
#include "command/command.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "pg/binary.h"
#include "tools/map/definition.h"
#include "tools/map/plan.h"
#include "tools/map/queries.h"
#include "tools/map/script.h"

namespace oai::command {
namespace {

namespace fs = std::filesystem;
using mapping::Definition;
using mapping::Plan;

struct MapOptions {
    std::string file;  // "": beside oai.ini
    std::string connection;
    bool sql = false, check = false, poll = false, believe = false, drop = false;
    int rows = 10'000;
    std::string table, where, datestamp, changes = "triggers";
    std::vector<std::string> key, also, column, set;
    std::vector<std::vector<std::string>> elements;  // in the order of dublin_core()
};

void add_definition(std::vector<Option>& table, MapOptions& o) {
    table.insert(
        table.end(),
        {{"--table", &o.table, "the table with a row for each item: mag.article"},
         {"--key", &o.key, "the column that makes identifiers; several of them together"},
         {"--where", &o.where, "an SQL condition that rows must meet to be items"},
         {"--datestamp", &o.datestamp,
          "the column with the time of the last change, for the first publication"},
         {"--changes", &o.changes, "how changes are seen", one_of({"triggers", "poll"})},
         {"--also", &o.also,
          "a table whose rows belong to items: 'mag.author(article_id) order by position'"}});
    const auto names = mapping::dublin_core();
    o.elements.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        table.push_back({fmt::format("--{}", names[i]), &o.elements[i],
                         "a column, or TABLE.COLUMN of one in --also"});
    table.push_back(
        {"--column", &o.column, "NAME=COLUMN: what stylesheets see under a name of your own"});
    table.push_back(
        {"--set", &o.set, "LABEL=COLUMN: a set LABEL:VALUE for each value of the column"});
}

MapOptions read_map_options(const Invocation& invocation) {
    MapOptions o;
    std::vector<Option> table{
        {"FILE", &o.file, "what is given out; default: map.ini beside the configuration"},
        {"--connection", &o.connection,
         "libpq connection string of a role that may create triggers on the tables; default: "
         "PGHOST and the other variables of libpq"},
        {"--sql", &o.sql, "print the SQL, and change nothing"},
        {"--check", &o.check, "compare what harvesters see with the tables"},
        {"--drop", &o.drop,
         "take views and triggers away until oai map makes them anew, for a change of the tables' "
         "columns",
         excludes("--check")},
        {"--poll", &o.poll, "look for changes, one round", excludes("--check")},
        {"--rows",
         &o.rows,
         "with --poll: rows in a round",
         {.show_default = true, .positive = true}},
        {"--believe", &o.believe, "even if most items become deleted records"}};
    add_definition(table, o);
    parse(invocation,
          "Serves tables of your own: with --table writes the file that says what is given out, "
          "and then makes the views and triggers for what the file says.",
          std::move(table));
    if (o.file.empty()) o.file = fs::path(invocation.config_path).replace_filename("map.ini");
    return o;
}

// "NAME=COLUMN"; without = the column's name is also the other.
std::pair<std::string, std::string> split_assignment(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return {mapping::split_name(text).back(), text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Definition definition_of(const MapOptions& o) {
    Definition d;
    d.file = o.file;
    d.table.text = o.table;
    for (const std::string& key : o.key)
        for (const mapping::Value& part : mapping::split_list({key})) d.key.push_back(part);
    d.where.text = o.where;
    d.datestamp.text = o.datestamp;
    d.polled = o.changes == "poll";
    for (const std::string& also : o.also) d.also.push_back(mapping::parse_also(also));
    for (std::size_t i = 0; i < o.elements.size(); ++i)
        for (const std::string& column : o.elements[i])
            d.columns.push_back({std::string(mapping::dublin_core()[i]), {column}});
    for (const std::string& column : o.column) {
        const auto [name, value] = split_assignment(column);
        d.columns.push_back({name, {value}});
    }
    for (const std::string& set : o.set) {
        const auto [label, column] = split_assignment(set);
        d.sets.push_back({label, {column}, {}, {}});
    }
    return d;
}

// By the file, or by options of which the file shall be made; these must pass through the file.
Definition read_map(const MapOptions& o) {
    if (o.table.empty()) {
        if (!o.key.empty() || !o.also.empty() || !o.set.empty() || !o.column.empty())
            throw UsageError("map: --table is missing; or edit " + o.file + " and run `oai map`");
        if (!fs::exists(o.file))
            throw ConfigError(o.file +
                              ": does not exist; write it by: oai map --table TABLE --key COLUMN "
                              "--title COLUMN ...");
        return mapping::read_definition(o.file);
    }
    if (!o.sql && fs::exists(o.file))
        throw UsageError(o.file +
                         ": exists; edit it and run `oai map` without --table, or name another");
    Definition d = definition_of(o);
    if (d.columns.empty()) throw UsageError("map: no column is given out: --title COLUMN ...");
    if (d.key.empty()) throw UsageError("map: --key is missing");
    mapping::parse_definition(mapping::print_definition(d), o.file);
    return d;
}

void write_map_file(const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out)
        throw std::runtime_error(
            fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

mapping::MapState read_state(pg::Connection& connection) {
    if (!pg::read_bool(connection.query(mapping::queries::kSchemaReady).bytes(0, 0)))
        throw std::runtime_error(
            "the database lacks schema oai as of this version; run: oai schema install");
    const pg::Result row = connection.query(mapping::queries::kState);
    const bool has_items = pg::read_bool(row.bytes(0, 0)),
               was_mapped = pg::read_bool(row.bytes(0, 1));
    if (has_items && !was_mapped)
        throw std::runtime_error(
            "the database has items of a model, or of views made by hand, which oai map does not "
            "replace; map into a database where oai schema install was run without --model");
    return {static_cast<std::size_t>(pg::read_integer(row.bytes(0, 2)))};
}

Plan plan_for(pg::Connection& connection, const Definition& definition) {
    return mapping::make_plan(
        definition, {[&](std::string_view name) { return mapping::read_table(connection, name); },
                     [&] { return mapping::all_tables(connection); }});
}

void install(pg::Connection& connection, const std::string& structure) {
    connection.query(queries::kLockSchema);
    connection.script("map_messages", "set client_min_messages = warning");
    with_short_locks(connection, "map", [&] { connection.script("map", structure); });
    connection.script("map_refresh", std::string(mapping::refresh_script()));
}

void report_rows_without_item(const pg::Result& counts) {
    if (const std::int64_t none = pg::read_integer(counts.bytes(0, 2)); none > 0)
        fmt::print(
            "{} rows are no items: their key is empty, or makes an identifier of more than 1000 "
            "characters\n",
            none);
}

void report(pg::Connection& connection, const Plan& plan) {
    const pg::Result counts = connection.query(mapping::queries::kCounts);
    fmt::print("{}: {} items, {} wait to be published\n", plan.sources[0].table.name,
               pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1)));
    report_rows_without_item(counts);
    if (plan.definition.polled) return fmt::print("changes are found by: oai map --poll\n");
    std::string tables;
    for (const mapping::Source& source : plan.sources)
        tables += (tables.empty() ? "" : ", ") + source.table.name;
    fmt::print("changes are seen by triggers on {}\n", tables);
}

int apply_map(const MapOptions& o) {
    const Definition definition = read_map(o);
    pg::Connection connection(o.connection, "oai map");
    const mapping::MapState state = read_state(connection);
    const Plan plan = plan_for(connection, definition);
    for (const std::string& warning : plan.warnings) print_problem(warning);
    if (o.sql) {
        fmt::print("{}", mapping::whole_script(plan, state, o.believe));
        return kFine;
    }
    install(connection, mapping::structure_script(plan, state, o.believe));
    if (!o.table.empty()) {
        write_map_file(o.file, mapping::print_definition(definition));
        fmt::print("{} written\n", o.file);
    }
    report(connection, plan);
    return kFine;
}

int drop_map(const MapOptions& o) {
    pg::Connection connection(o.connection, "oai map");
    read_state(connection);
    connection.script("map_messages", "set client_min_messages = warning");
    with_short_locks(connection, "map",
                     [&] { connection.script("map_drop", mapping::drop_script()); });
    fmt::print("views and triggers are gone, items stay; oai map makes them anew\n");
    return kFine;
}

void require_mapping(pg::Connection& connection) {
    if (!pg::read_bool(connection.query(mapping::queries::kIsMapped).bytes(0, 0)))
        throw std::runtime_error("the database has no mapping; oai map makes one");
}

int check_map(const Invocation& invocation, const MapOptions& o) {
    const Config config = configuration(invocation);
    pg::Connection connection(o.connection.empty() ? config.database.connection : o.connection,
                              "oai map");
    require_mapping(connection);
    const std::int64_t differences =
        print_map_differences(connection, "oai:" + config.repository.identifier_namespace + ":");
    report_rows_without_item(connection.query(mapping::queries::kCounts));
    if (differences == 0) {
        fmt::print("harvesters see what the tables hold\n");
        return kFine;
    }
    print_problem(
        fmt::format("{} differences; run oai map, which publishes what has changed", differences));
    return kRefused;
}

int poll_map(const Invocation& invocation, const MapOptions& o) {
    std::string conninfo = o.connection;
    if (conninfo.empty()) conninfo = configuration(invocation).publisher.connection;
    if (conninfo.empty())
        throw ConfigError(invocation.config_path +
                          ": [publisher] connection: required by `oai map --poll`");
    pg::Connection connection(conninfo, "oai map");
    require_mapping(connection);
    const pg::Result row = connection.query(
        mapping::queries::kPoll,
        pg::Parameters().add(std::int64_t{o.rows}).add(o.believe ? "true" : "false"));
    fmt::print("{} rows read, {} new or changed, {} gone{}\n", pg::read_integer(row.bytes(0, 0)),
               pg::read_integer(row.bytes(0, 1)), pg::read_integer(row.bytes(0, 2)),
               pg::read_bool(row.bytes(0, 3)) ? "" : "; the next round goes on from there");
    return kFine;
}

}  // namespace

int command_map(const Invocation& invocation) {
    const MapOptions options = read_map_options(invocation);
    if (options.check) return check_map(invocation, options);
    if (options.poll) return poll_map(invocation, options);
    if (options.drop) return drop_map(options);
    return apply_map(options);
}

}  // namespace oai::command
