// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdint>

#include "command/check.h"
#include "command/queries.h"
#include "command/schema_state.h"
#include "pg/binary.h"
#include "protocol/identifier.h"
#include "protocol/repository.h"
#include "tools/map/queries.h"

namespace oai::command {
namespace {

// The publisher moves the horizon every second; an older horizon means that it is not running.
constexpr std::int64_t kStalledSeconds = 60;
constexpr std::int64_t kMaxPrinted = 100;

void check_schema(pg::Connection& database, Findings& findings) {
    const InstalledSchema installed = read_installed(database);
    const auto state = compare_schema(schema_files(), schema_release(), installed, "");
    for (const std::string& problem : state.problems) findings.problem("schema", problem);
    if (state.problems.empty() && !state.is_current())
        findings.problem("schema", fmt::format("is not that of oai-fcgi {}; oai schema status says "
                                               "what is missing, oai schema install applies it",
                                               schema_release()));
}

void check_horizon(pg::Connection& database, Findings& findings) {
    const pg::Result row = database.query(queries::kHorizon);
    if (row.rows() == 0) return;  // the part "schema" says so
    if (row.is_null(0, 0))
        return findings.problem(
            "oai.horizon",
            "nothing was ever published, so lists are answered 503; run: oai publish");
    if (const auto age = pg::read_integer(row.bytes(0, 1)); age > kStalledSeconds)
        findings.problem(
            "oai.horizon",
            fmt::format("no publisher has run for {} s; systemctl restart oai-publish", age));
}

// Prints rows of a number or name, as text, and its problem.
void print_problems(const pg::Result& rows, const char* part, const char* kind,
                    Findings& findings) {
    for (int i = 0; i < rows.rows() && i < kMaxPrinted; ++i)
        findings.problem(part, fmt::format("{} {}: {}", kind, rows.bytes(i, 0), rows.bytes(i, 1)));
    if (rows.rows() > kMaxPrinted) findings.problem(part, "and more; the first 100 are shown");
}

void check_sets(pg::Connection& database, Findings& findings) {
    print_problems(database.query(queries::kSetProblems, pg::Parameters().add(kMaxPrinted + 1)),
                   "oai.set", "set", findings);
    print_problems(database.query(queries::kRuleProblems), "sets", "set", findings);
    const pg::Result rows = database.query(queries::kSetDescriptions);
    for (int i = 0; i < rows.rows(); ++i) {
        try {
            set_description(rows.bytes(i, 1), rows.bytes(i, 0));
        } catch (const xml::Error& e) {
            findings.problem(
                "oai.set", fmt::format("{}; a description is one XML element, or text", e.what()));
        }
    }
}

void check_sources(pg::Connection& database, Findings& findings) {
    if (!pg::read_bool(database.query(queries::kSourcesExist).bytes(0, 0))) return;
    print_problems(database.query(queries::kSourceProblems, pg::Parameters().add(kMaxPrinted + 1)),
                   "oai.source", "source", findings);
}

// Checks a sample; does nothing if the database has no mapping.
void check_map_sample(pg::Connection& database, Findings& findings) {
    constexpr std::int64_t kSample = 1000;  // items, and as many rows
    constexpr int kPrinted = 10;
    if (!pg::read_bool(database.query(queries::kIsMapped).bytes(0, 0))) return;
    const pg::Result rows = database.query(
        queries::kMapProblems, pg::Parameters().add(kSample).add(std::int64_t{kPrinted + 1}));
    for (int i = 0; i < rows.rows() && i < kPrinted; ++i)
        findings.problem(
            "map", fmt::format("{} {}; see oai map --check", rows.bytes(i, 0), rows.bytes(i, 1)));
    if (rows.rows() > kPrinted) findings.problem("map", "and more; oai map --check shows all");
}

// A check: a function, or a query that returns problems.
struct DatabaseCheck {
    const char* part;
    void (*run)(pg::Connection&, Findings&);
    const pg::Statement* problems = nullptr;
    const char* kind = "";
};
constexpr DatabaseCheck kDatabaseChecks[] = {
    {"schema", check_schema},
    {"oai.horizon", check_horizon},
    {"oai.set_chunk", nullptr, &queries::kChunkProblems, "set"},
    {"oai.calendar", nullptr, &queries::kCalendarProblems, "datestamp"},
    {"oai.item", nullptr, &queries::kItemProblems, "item"},
    {"oai.set", check_sets},
    {"triggers", nullptr, &queries::kTriggerProblems, "table"},
    {"rights", nullptr, &queries::kSearchPathProblems, "schema"},
    {"oai.source", check_sources},
    {"map", check_map_sample},
};

// Connects as the publisher's role, which alone may evaluate conditions.
void check_rules(const Config& config, Findings& findings) {
    if (config.publisher.connection.empty()) return;
    pg::Connection database(config.publisher.connection, "oai check");
    print_problems(database.query(queries::kRuleMisfits, pg::Parameters().add(kMaxPrinted + 1)),
                   "oai.set", "set", findings);
}

}  // namespace

// A failed check does not hide the others, unless the connection is lost.
void check_database(const Config& config, Findings& findings) {
    pg::Connection database(config.database.connection, "oai check");
    if (!pg::read_bool(database.query(queries::kHorizonThere).bytes(0, 0)))
        return findings.problem("schema",
                                "there is none in this database, or its role may not use it; as a "
                                "superuser: oai schema install --model MODEL");
    if (const std::string& view = config.repository.only;
        !view.empty() &&
        !pg::read_bool(database.query(queries::kViewThere, pg::Parameters().add(view)).bytes(0, 0)))
        findings.problem("view",
                         fmt::format("there is no view {}: the publisher knows no {}.set with "
                                     "[view], so all is answered 503",
                                     view, view));
    for (const DatabaseCheck& check : kDatabaseChecks) {
        try {
            if (check.run)
                check.run(database, findings);
            else
                print_problems(
                    database.query(*check.problems, pg::Parameters().add(kMaxPrinted + 1)),
                    check.part, check.kind, findings);
        } catch (const pg::Error& e) {
            findings.problem(check.part, pg::with_remedy(e));
            if (database.broken()) return;
        }
    }
    try {
        check_rules(config, findings);
    } catch (const pg::Error& e) {
        findings.problem("sets", pg::with_remedy(e));
    }
}

std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix) {
    const pg::Result rows = database.query(mapping::queries::kProblems);
    for (int i = 0; i < rows.rows(); ++i)
        fmt::print("{}\t{}\n",
                   rows.is_null(i, 0) ? std::string(rows.bytes(i, 1))
                                      : identifier_text(identifier_prefix, rows.bytes(i, 0)),
                   rows.bytes(i, 2));
    return rows.rows();
}

}  // namespace oai::command
