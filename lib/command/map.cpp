// SPDX-License-Identifier: MIT
// oai map: serves existing tables as described by map.ini.
#include <fmt/format.h>

#include <filesystem>

#include "base/new_file.h"
#include "command/check.h"
#include "command/command.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "pg/binary.h"
#include "tools/map/definition.h"
#include "tools/map/plan.h"
#include "tools/map/queries.h"
#include "tools/map/script.h"
#include "xml/document.h"

namespace oai::command {
namespace {

namespace fs = std::filesystem;
using mapping::Definition;
using mapping::Plan;

struct MapOptions {
    std::string file;               // "": those beside oai.ini
    std::vector<std::string> maps;  // which these are
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
         {"--changes", &o.changes, "how changes are detected", one_of({"triggers", "poll"})},
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
        {"FILE", &o.file,
         "what is given out; default: map.ini and map.d/*.ini beside the configuration"},
        {"--connection", &o.connection,
         "libpq connection string of a role that may create triggers on the tables; default: "
         "PGHOST and the other variables of libpq"},
        {"--sql", &o.sql, "print the SQL, and change nothing"},
        {"--check", &o.check, "compare what harvesters see with the tables"},
        {"--drop", &o.drop,
         "remove views and triggers until oai map creates them again, to change columns of the "
         "tables",
         excludes("--check")},
        {"--poll", &o.poll, "look for changes, one round", excludes("--check")},
        {"--rows",
         &o.rows,
         "with --poll: rows in a round",
         {.show_default = true, .positive = true}},
        {"--believe", &o.believe, "go on even if most items become deleted records"}};
    add_definition(table, o);
    parse(invocation,
          "Serves tables of your own: with --table writes the file that says what is given out, "
          "and then makes the views and triggers for what the file says.",
          std::move(table));
    const fs::path single = fs::path(invocation.config_path).replace_filename("map.ini"),
                   several = fs::path(single).replace_filename("map.d");
    if (o.file.empty() && o.table.empty() && fs::is_directory(several))
        for (const fs::directory_entry& entry : fs::directory_iterator(several))
            if (entry.path().extension() == ".ini") o.maps.push_back(entry.path());
    std::sort(o.maps.begin(), o.maps.end());
    if (o.maps.empty() || fs::exists(single))
        o.maps.insert(o.maps.begin(), o.file.empty() ? single.string() : o.file);
    return o;
}

// Splits "NAME=COLUMN"; without "=" both have the same name.
std::pair<std::string, std::string> split_assignment(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return {mapping::split_name(text).back(), text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

// The text of map.ini for the options.
std::string file_of(const MapOptions& o) {
    std::string out =
        "# What of this database is given out by OAI-PMH. oai(1) explains each key.\n"
        "# After a change run `oai map` again: it brings the repository to what the file says.\n";
    const auto line = [&out](std::string_view key, std::string_view value) {
        if (!value.empty()) out += fmt::format("{} = {}\n", key, value);
    };
    out += "[items]\n";
    line("table", o.table);
    line("key", fmt::format("{}", fmt::join(o.key, ", ")));
    line(o.where.empty() ? "# where" : "where",
         o.where.empty() ? "an SQL condition that rows must meet to be items" : o.where);
    line("datestamp", o.datestamp);
    line("changes", o.changes);
    for (const std::string& text : o.also) {
        const mapping::Also also = mapping::parse_also(text);
        out += fmt::format("\n[also {}]\n", also.section());
        if (!also.as.text.empty()) line("table", also.table.text);
        line("join", also.join.text);
        line("order", also.order.text);
    }
    out +=
        "\n# element = column; a line more of one element adds the values of another column.\n"
        "[columns]\n";
    for (std::size_t i = 0; i < o.elements.size(); ++i)
        for (const std::string& column : o.elements[i]) line(mapping::dublin_core()[i], column);
    for (const std::string& text : o.column) {
        const auto [name, column] = split_assignment(text);
        line(name, column);
    }
    for (const std::string& text : o.set) {
        const auto [label, column] = split_assignment(text);
        out += fmt::format("\n[set {}]\ncolumn = {}\n", label, column);
    }
    return out;
}

// By the file, or by options of which the file shall be made; these must pass through the file.
Definition read_map(const MapOptions& o, const std::string& file) {
    if (o.table.empty()) {
        if (!o.key.empty() || !o.also.empty() || !o.set.empty() || !o.column.empty())
            throw UsageError("map: --table is missing; or edit " + file + " and run `oai map`");
        if (!fs::exists(file))
            throw ConfigError(file +
                              ": does not exist; write it by: oai map --table TABLE --key COLUMN "
                              "--title COLUMN ...");
        return mapping::parse_definition(xml::read_file(file), file);
    }
    if (!o.sql && fs::exists(file))
        throw UsageError(file +
                         ": exists; edit it and run `oai map` without --table, or name another");
    if (o.key.empty()) throw UsageError("map: --key is missing");
    Definition d = mapping::parse_definition(file_of(o), file);
    d.file.clear();  // which is not there yet
    return d;
}

// Installs the model `library` if the database has none.
void require_library(const Invocation& invocation, const MapOptions& o,
                     pg::Connection& connection) {
    const pg::Result row = connection.query(mapping::queries::kState);
    const bool has_model = pg::read_bool(row.bytes(0, 0)),
               is_current = pg::read_bool(row.bytes(0, 1)),
               has_items = pg::read_bool(row.bytes(0, 2));
    if (has_model && !is_current)
        throw std::runtime_error(
            "the database lacks schema oai as of this version; run: oai schema install");
    if (!has_model && has_items)
        throw std::runtime_error(
            "the database has items of another model, or of views made by hand, beside which oai "
            "map has no place; map into a database of model library");
    if (has_model || o.sql) return;
    std::vector<std::string> arguments{"install", "--model", "library"};
    if (!o.connection.empty()) arguments.insert(arguments.end(), {"--connection", o.connection});
    if (command_schema({"schema", invocation.config_path, std::move(arguments)}) != kFine)
        throw std::runtime_error("the model library could not be installed");
}

Plan plan_for(pg::Connection& connection, const Definition& definition) {
    return mapping::make_plan(
        definition,
        {[&](std::string_view name) { return mapping::read_table(connection, name); },
         [&](std::string_view query) { return mapping::read_query(connection, query); }});
}

// Prints the result. Returns whether items whose rows are missing are kept.
bool report(pg::Connection& connection, const Plan& plan) {
    const pg::Result counts =
        connection.query(mapping::queries::kCounts, pg::Parameters().add(plan.definition.part));
    fmt::print("{}: {} items, {} wait to be published\n",
               plan.sources[0].table.bare.empty() ? "query" : plan.definition.items.source().text,
               pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1)));
    if (const std::int64_t refused = pg::read_integer(counts.bytes(0, 2)); refused > 0)
        fmt::print("{} rows are no items; oai map --check says why\n", refused);
    std::string tables;
    for (const mapping::Watch& watch : plan.watches)
        tables += (tables.empty() ? "" : ", ") + watch.name;
    fmt::print("changes are {}\n", plan.definition.is_polled() ? "found by: oai map --poll"
                                                               : "seen by triggers on " + tables);
    const std::int64_t held = pg::read_integer(counts.bytes(0, 3));
    if (held > 0)
        print_problem(fmt::format(
            "{} items, most of all, have no row by this map, and stay for a while (oai status); if "
            "that is right: oai map --believe; else mend {}, and run oai map",
            held, plan.definition.file));
    return held > 0;
}

pg::Result poll(pg::Connection& connection, std::string_view part, const MapOptions& o) {
    return connection.query(
        mapping::queries::kPoll,
        pg::Parameters().add(part).add(std::int64_t{o.rows}).add(o.believe ? "true" : "false"));
}

int apply_map(const MapOptions& o, const std::string& file, pg::Connection& connection) {
    const Definition definition = read_map(o, file);
    Plan plan = plan_for(connection, definition);
    plan.definition.file = file;
    for (const std::string& warning : plan.warnings) print_problem(warning);
    const std::string map = mapping::map_json(plan);
    if (o.sql) {
        fmt::print("{}", mapping::change_statement(map));
        return kFine;
    }
    // One that fails on rows leaves all as it is.
    connection.query(queries::kBegin);
    connection.query(mapping::queries::kApply, pg::Parameters().add(map));
    connection.query(mapping::queries::kTry, pg::Parameters().add(definition.part));
    connection.query(queries::kRollback);
    connection.query(queries::kLockSchema);
    with_short_locks(connection, "map", [&] {
        connection.query(mapping::queries::kChange, pg::Parameters().add(map));
    });
    while (pg::read_bool(poll(connection, definition.part, o).bytes(0, 4)))
        ;
    if (!o.table.empty()) {
        replace_file(file, definition.text);
        fmt::print("{} written\n", file);
    }
    return report(connection, plan) ? kRefused : kFine;
}

int apply_maps(const Invocation& invocation, const MapOptions& o) {
    pg::Connection connection(o.connection, "oai map");
    if (o.maps.size() == 1) read_map(o, o.maps[0]);  // refuses before anything is installed
    try {
        require_library(invocation, o, connection);
        int result = kFine;
        for (const std::string& file : o.maps)
            result = std::max(result, apply_map(o, file, connection));
        return result;
    } catch (const pg::Error& e) {
        if (e.sqlstate() != "42501") throw;
        const std::string what(e.what());
        throw std::runtime_error(
            what + (what.find("row security") != what.npos
                        ? ""
                        : "; it takes a superuser, or the owner of the tables who is a member of "
                          "oai_loader (grant oai_loader to OWNER)"));
    }
}

// The mappings that there are, or that of FILE: number, name.
pg::Result mappings(pg::Connection& connection, const MapOptions& o) {
    std::optional<std::string> part;
    if (!o.file.empty()) part = mapping::part_of(o.file);
    if (pg::read_bool(connection.query(mapping::queries::kState).bytes(0, 1))) {
        pg::Result found =
            connection.query(mapping::queries::kMappings, pg::Parameters().add(part));
        if (found.rows() > 0) return found;
    }
    throw std::runtime_error("the database has no mapping; oai map makes one");
}

int drop_map(const MapOptions& o) {
    pg::Connection connection(o.connection, "oai map");
    const pg::Result parts = mappings(connection, o);
    with_short_locks(connection, "map", [&] {
        for (int i = 0; i < parts.rows(); ++i)
            connection.query(mapping::queries::kDrop, pg::Parameters().add(parts.bytes(i, 0)));
    });
    fmt::print("the triggers are gone, items stay; oai map makes them anew\n");
    return kFine;
}

int check_map(const Invocation& invocation, const MapOptions& o) {
    const Config config = configuration(invocation);
    pg::Connection connection(o.connection.empty() ? config.database.connection : o.connection,
                              "oai map");
    mappings(connection, o);
    const std::int64_t differences =
        print_map_differences(connection, "oai:" + config.repository.identifier_namespace + ":");
    if (differences == 0) {
        fmt::print("harvesters see what the tables hold\n");
        return kFine;
    }
    throw std::runtime_error(
        fmt::format("{} differences; run oai map, which publishes what has changed", differences));
}

int poll_map(const Invocation& invocation, const MapOptions& o) {
    std::string conninfo = o.connection;
    if (conninfo.empty()) conninfo = configuration(invocation).publisher.connection;
    if (conninfo.empty())
        throw ConfigError(invocation.config_path +
                          ": [publisher] connection: required by `oai map --poll`");
    pg::Connection connection(conninfo, "oai map");
    const pg::Result parts = mappings(connection, o);
    int result = kFine;
    for (int i = 0; i < parts.rows(); ++i) try {
            const pg::Result row = poll(connection, parts.bytes(i, 0), o);
            fmt::print("{}{} rows read, {} new or changed, {} gone{}\n",
                       parts.rows() == 1 ? "" : fmt::format("{}: ", parts.bytes(i, 1)),
                       pg::read_integer(row.bytes(0, 0)), pg::read_integer(row.bytes(0, 1)),
                       pg::read_integer(row.bytes(0, 2)),
                       pg::read_bool(row.bytes(0, 3)) ? "" : "; the next round goes on from there");
        } catch (const pg::Error& e) {
            print_problem(fmt::format("{}: {}", parts.bytes(i, 1), e.what()));
            result = kRefused;
        }
    return result;
}

}  // namespace

int command_map(const Invocation& invocation) {
    const MapOptions options = read_map_options(invocation);
    if (options.check) return check_map(invocation, options);
    if (options.poll) return poll_map(invocation, options);
    return options.drop ? drop_map(options) : apply_maps(invocation, options);
}

}  // namespace oai::command
