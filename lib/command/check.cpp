// SPDX-License-Identifier: MIT
// oai check: everything that could go wrong, each on its own line with what to do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "command/command.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "format.h"
#include "pg/binary.h"
#include "repository.h"
#include "token.h"
#include "xml/document.h"

namespace oai::command {
namespace {

// The publisher moves the horizon every second; this long after, it is not running.
constexpr std::int64_t kStalledSeconds = 60;
// set_chunk.seqs is int[]: there is time to migrate from half of it on.
constexpr std::int64_t kSeqAlarm = 1'073'741'824;
constexpr std::int64_t kMostChunkProblems = 100;

class Findings {
  public:
    void problem(std::string_view part, std::string_view what) {
        for (const std::string_view line : text::split(what, '\n')) {
            fmt::print(stderr, "oai: {}: {}\n", part, line);
            ++problems_;
        }
    }
    int problems() const { return problems_; }

  private:
    int problems_ = 0;
};

void check_token_keys(const Config& config, Findings&) {
    read_token_key(config.token.key_file);
    if (!config.token.previous_key_file.empty()) read_token_key(config.token.previous_key_file);
}

void check_descriptions(const Config& config, Findings&) { make_repository(config); }

void check_formats(const Config& config, Findings&) { FormatRegistry::read(config.formats.directory); }

void check_roles(const Config& config, Findings& findings) {
    const std::pair<const char*, const std::string&> roles[] = {
        {"[publisher] connection", config.publisher.connection},
        {"[loader] connection", config.loader.connection}};
    for (const auto& [key, conninfo] : roles) {
        if (conninfo.empty()) continue;
        try {
            pg::Connection(conninfo, "oai check");
        } catch (const pg::Error& e) {
            findings.problem(key, e.what());
        }
    }
}

void check_schema(pg::Connection& database, Findings& findings) {
    const auto installed = read_installed(database);
    const auto state = compare_schema(schema_files(), installed, "");
    for (const std::string& problem : state.problems) findings.problem("schema", problem);
    for (const SchemaFile* file : state.missing)
        findings.problem("schema",
                         fmt::format("{} is missing; apply it with: oai schema install", file->name));
}

struct ColumnContract {
    std::string_view name;
    std::array<unsigned, 2> types;  // either
    std::string_view type_name;
};
constexpr ColumnContract kItemColumns[] = {
    {"id", {pg::kInt8, pg::kInt8}, "bigint"},
    {"seq", {pg::kInt8, pg::kInt8}, "bigint"},
    {"local_id", {pg::kText, pg::kVarchar}, "text"},
    {"datestamp", {pg::kTimestamptz, pg::kTimestamptz}, "timestamptz"},
    {"deleted", {pg::kBool, pg::kBool}, "boolean"},
    {"set_ids", {pg::kInt4Array, pg::kInt4Array}, "integer[]"},
};
// What record_xml.h makes XML of.
constexpr unsigned kModelTypes[] = {pg::kBool,        pg::kInt8,      pg::kInt2,         pg::kInt4,
                                    pg::kText,        pg::kXml,       pg::kVarchar,      pg::kDate,
                                    pg::kTimestamptz, pg::kTextArray, pg::kVarcharArray, pg::kXmlArray};

void check_record(pg::Connection& database, Findings& findings) {
    const pg::Result view = database.query(queries::kRecordColumns);
    const int own = static_cast<int>(std::size(kItemColumns));
    for (int i = 0; i < own; ++i) {
        const ColumnContract& want = kItemColumns[i];
        if (i < view.columns() && view.column_name(i) == want.name &&
            (view.column_type(i) == want.types[0] || view.column_type(i) == want.types[1]))
            continue;
        findings.problem("oai.record",
                         fmt::format("column {} must be {} {}; create the view anew with oai.item's six "
                                     "columns first",
                                     i + 1, want.name, want.type_name));
    }
    for (int i = own; i < view.columns(); ++i)
        if (std::find(std::begin(kModelTypes), std::end(kModelTypes), view.column_type(i)) ==
            std::end(kModelTypes))
            findings.problem("oai.record",
                             fmt::format("column {} has a type (OID {}) that cannot become XML; cast it "
                                         "in the view, to text or text[]",
                                         view.column_name(i), view.column_type(i)));
}

void check_horizon(pg::Connection& database, Findings& findings) {
    const pg::Result row = database.query(queries::kHorizon);
    if (row.rows() != 1)
        return findings.problem(
            "oai.horizon", fmt::format("has {} rows, one is right; restore it from a backup", row.rows()));
    if (row.is_null(0, 0))
        return findings.problem("oai.horizon",
                                "nothing was ever published, so lists are answered 503; run: oai publish");
    if (const auto age = pg::read_integer(row.bytes(0, 2)); age > kStalledSeconds)
        findings.problem("oai.horizon",
                         fmt::format("the publisher has not run for {} s; start: oai publish", age));
    if (const auto last = pg::read_integer(row.bytes(0, 1)); last > kSeqAlarm)
        findings.problem("oai.horizon",
                         fmt::format("{} publications: over half of what oai.set_chunk can number; plan "
                                     "the migration of its column seqs to bigint[]",
                                     last));
}

void check_chunks(pg::Connection& database, Findings& findings) {
    const pg::Result rows =
        database.query(queries::kChunkProblems, pg::Parameters().add(kMostChunkProblems + 1));
    for (int i = 0; i < rows.rows() && i < kMostChunkProblems; ++i)
        findings.problem("oai.set_chunk",
                         fmt::format("set {}, chunk from {}: {}", pg::read_integer(rows.bytes(i, 0)),
                                     pg::read_integer(rows.bytes(i, 1)), rows.bytes(i, 2)));
    if (rows.rows() > kMostChunkProblems)
        findings.problem("oai.set_chunk", "and more; the first 100 are shown");
}

struct DatabaseCheck {
    const char* part;
    void (*run)(pg::Connection&, Findings&);
};
constexpr DatabaseCheck kDatabaseChecks[] = {
    {"schema", check_schema},
    {"oai.record", check_record},
    {"oai.horizon", check_horizon},
    {"oai.set_chunk", check_chunks},
};

// Each by itself, so that one fault does not hide the others; but nothing can be asked of a lost connection.
void check_database(const Config& config, Findings& findings) {
    pg::Connection database(config.database.connection, "oai check");
    for (const DatabaseCheck& check : kDatabaseChecks) {
        try {
            check.run(database, findings);
        } catch (const pg::Error& e) {
            findings.problem(check.part, e.what());
            if (database.broken()) return;
        }
    }
}

struct Check {
    const char* part;
    void (*run)(const Config&, Findings&);
};
constexpr Check kChecks[] = {
    {"token key", check_token_keys}, {"description", check_descriptions}, {"formats", check_formats},
    {"roles", check_roles},          {"database", check_database},
};

int print_keys() {
    fmt::print("section\tkey\tdefault\ttype\trequired\tlist\tmeaning\n");
    for (const ConfigKey& k : config_keys())
        fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", k.section, k.key, k.default_value, k.type,
                   k.required ? "yes" : "no", k.list ? "yes" : "no", k.meaning);
    return kFine;
}

}  // namespace

int command_check(const Invocation& invocation) {
    bool keys = false;
    CLI::App app{
        "Checks the configuration and everything that it names; each problem is said with what to do."};
    app.add_flag("--keys", keys,
                 "print the table of oai.ini's keys as tab-separated values, reading no file");
    parse(app, invocation);
    if (keys) return print_keys();

    const Config config = configuration(invocation);
    xml::initialise();
    Findings findings;
    for (const Check& check : kChecks) {
        try {
            check.run(config, findings);
        } catch (const std::exception& e) {
            findings.problem(check.part, e.what());
        }
    }
    if (findings.problems() > 0) return kRefused;
    fmt::print("no problem found\n");
    return kFine;
}

}  // namespace oai::command
