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

}  // namespace

std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix) {
    database.query(mapping::queries::kSnapshot);
    database.query(mapping::queries::kDeclareProblems, pg::Parameters().add_null());
    std::int64_t count = 0;
    for (;;) {
        const pg::Result rows = database.query(mapping::queries::kFetchProblems);
        for (int i = 0; i < rows.rows(); ++i)
            fmt::print("{}\t{}\n",
                       rows.is_null(i, 0) ? std::string(rows.bytes(i, 1))
                                          : identifier_text(identifier_prefix, rows.bytes(i, 0)),
                       rows.bytes(i, 2));
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
