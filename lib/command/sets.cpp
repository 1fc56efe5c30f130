// SPDX-License-Identifier: MIT
// oai sets: prints all sets and their origin. Also implements `oai check FILE.set`.
#include <fmt/format.h>

#include "command/check.h"
#include "command/command.h"
#include "command/queries.h"
#include "pg/binary.h"
#include "publish/rules.h"

namespace oai::command {

void check_set_files(const Config& config, const std::vector<std::string>& files,
                     Findings& findings) {
    if (config.publisher.connection.empty())
        throw ConfigError(
            "[publisher] connection: missing; a set is judged by the publisher's role");
    pg::Connection database(config.publisher.connection, "oai check");
    for (const std::string& path : files) {
        SetRule rule = read_set_rule(path);
        if (rule.problem.empty()) rule.problem = validate_set_rule(database, rule);
        if (!rule.problem.empty()) {
            findings.problem("set", rule.problem);
            continue;
        }
        const std::string shown = rule.is_view ? rule.spec : "";
        const pg::Result row = database.query(
            queries::kTryRule,
            pg::Parameters().add(rule.is_view ? "" : rule.spec).add(rule.condition).add(shown));
        const auto number = [&](int column) {
            return row.is_null(0, column) ? 0 : pg::read_integer(row.bytes(0, column));
        };
        if (rule.is_view)
            fmt::print("{}: the view shows {} of {} items{}; {} ms for 10,000 items\n", path,
                       number(1), number(0),
                       shown.empty() ? "" : ", as far as they are in set " + shown, number(5));
        else
            fmt::print(
                "{}: set {} has {} of {} items; {} enter and {} leave, and get a new datestamp; "
                "{} ms for 10,000 items\n",
                path, rule.spec, number(1), number(0), number(2), number(3), number(5));
        if (pg::read_bool(row.bytes(0, 8)))
            findings.problem("set", fmt::format("{}: there is no set {}, so the view shows nothing",
                                                path, shown));
        if (number(4) > 0)
            fmt::print("{}:{}: fails on {} items, which are left out, as {}\n", path, rule.line,
                       number(4), row.bytes(0, 7));
        for (const std::string& id : pg::read_texts(row.bytes(0, 6))) fmt::print("  {}\n", id);
    }
}

int command_sets(const Invocation& invocation) {
    parse(invocation, "Lists all sets: setSpec, items, who defines it, name; tab-separated.", {});
    pg::Connection database(configuration(invocation).database.connection, "oai sets");
    const pg::Result rows = database.query(queries::kAllSets);
    for (int i = 0; i < rows.rows(); ++i)
        fmt::print("{}\t{}\t{}\t{}\n", rows.bytes(i, 0), pg::read_integer(rows.bytes(i, 1)),
                   rows.bytes(i, 2), rows.bytes(i, 3));
    const pg::Result problems = database.query(queries::kRuleProblems);
    for (int i = 0; i < problems.rows(); ++i)
        print_problem(fmt::format("sets: {}: {}", problems.bytes(i, 0), problems.bytes(i, 1)));
    return problems.rows() > 0 ? kRefused : kFine;
}

}  // namespace oai::command
