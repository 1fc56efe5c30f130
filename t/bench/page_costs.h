// SPDX-License-Identifier: MIT
// Measures the buffers that PostgreSQL reads for a page, by EXPLAIN (ANALYZE, BUFFERS) of the
// server's own statements.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pg/binary.h"
#include "store/queries.h"
#include "store/store.h"
#include "t/bench/page_lists.h"

namespace oai::bench {

inline constexpr const char* kDeclare = "declare page no scroll cursor for";

struct Cost {
    std::int64_t buffers = 0, rows = 0, removed = 0;
};

inline void add_removed(const nlohmann::json& node, Cost& cost) {
    for (const auto& [key, value] : node.items())
        if (key.starts_with("Rows Removed")) cost.removed += value.get<std::int64_t>();
    if (node.contains("Plans"))
        for (const auto& child : node["Plans"]) add_removed(child, cost);
}

// Replaces DECLARE CURSOR by EXPLAIN and leaves the server's statement as it is otherwise.
inline Cost explain(pg::Connection& connection, const pg::Statement& statement,
                    const pg::Parameters& parameters) {
    std::string text = statement.text;
    if (const auto at = text.find(kDeclare); at != std::string::npos)
        text.erase(at, std::string(kDeclare).size());
    text = "explain (analyze, buffers, format json) " + text;
    const pg::Result result = connection.query({statement.name, text.c_str()}, parameters);
    const auto plan = nlohmann::json::parse(result.bytes(0, 0))[0]["Plan"];
    Cost cost{.buffers = plan["Shared Hit Blocks"].get<std::int64_t>() +
                         plan["Shared Read Blocks"].get<std::int64_t>(),
              .rows = plan["Actual Rows"].get<std::int64_t>()};
    add_removed(plan, cost);
    return cost;
}

struct Costs {
    Cost position, seek, page;  // seek: position without counting for completeListSize
};

inline Costs explain_page(Store& store, const Page& page, bool records) {
    const ListQuery& q = page.query;
    const auto lease = store.pool().take();
    const pg::Parameters p = position_parameters(q);
    ListQuery without_size = q;
    without_size.want_size = false;
    const pg::Parameters uncounted = position_parameters(without_size);
    const pg::Result at = lease->query(queries::kPosition, p);
    Costs costs{.position = explain(*lease, queries::kPosition, p),
                .seek = explain(*lease, queries::kPosition, uncounted),
                .page = {}};
    pg::Parameters bounds;
    if (q.set) bounds.add(pg::read_integer(at.bytes(0, 3)));
    bounds.add(pg::read_integer(at.bytes(0, 5)))
        .add(pg::read_integer(at.bytes(0, 6)))
        .add(std::int64_t{kRecords + 1});
    if (q.set) bounds.add_null();
    costs.page = explain(
        *lease,
        store.record_statements().of(q.set ? RecordRows::of_set : RecordRows::of_list, records, {}),
        bounds);
    return costs;
}

}  // namespace oai::bench
