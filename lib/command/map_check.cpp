// SPDX-License-Identifier: MIT
#include "command/map_check.h"

#include <fmt/format.h>

#include "command/queries.h"
#include "pg/binary.h"
#include "protocol/identifier.h"
#include "tools/map/queries.h"

namespace oai::command {
namespace {

constexpr std::int64_t kSample = 1000;  // items, and as many rows
constexpr int kPrinted = 10;

// The name of an item, or of a table.
std::string subject(std::string_view what, std::string_view problem, const std::string& prefix) {
    return problem.starts_with("lacks triggers") ? std::string(what)
                                                 : identifier_text(prefix, what);
}

}  // namespace

std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix) {
    database.query(mapping::queries::kSnapshot);
    database.query(mapping::queries::kDeclareProblems, pg::Parameters().add_null());
    std::int64_t count = 0;
    for (;;) {
        const pg::Result rows = database.query(mapping::queries::kFetchProblems);
        for (int i = 0; i < rows.rows(); ++i)
            fmt::print("{}\t{}\n", subject(rows.bytes(i, 0), rows.bytes(i, 1), identifier_prefix),
                       rows.bytes(i, 1));
        if (rows.rows() == 0) break;
        count += rows.rows();
    }
    database.query(queries::kCommit);
    return count;
}

void check_map_sample(pg::Connection& database, Findings& findings) {
    if (!pg::read_bool(database.query(queries::kIsMapped).bytes(0, 0))) return;
    const pg::Result rows = database.query(
        queries::kMapProblems, pg::Parameters().add(kSample).add(std::int64_t{kPrinted + 1}));
    for (int i = 0; i < rows.rows() && i < kPrinted; ++i)
        findings.problem(
            "map", fmt::format("{} {}; see oai map --check", rows.bytes(i, 0), rows.bytes(i, 1)));
    if (rows.rows() > kPrinted) findings.problem("map", "and more; oai map --check shows all");
}

}  // namespace oai::command
