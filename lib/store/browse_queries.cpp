// SPDX-License-Identifier: MIT
#include "store/browse_queries.h"

#include <algorithm>
#include <map>

#include "pg/binary.h"
#include "protocol/record.h"
#include "store/queries.h"

namespace oai {
namespace {

// Reads the columns id, spec, name, item_count and, optionally, description and has_children.
std::vector<SetNode> read_nodes(const pg::Result& rows) {
    std::vector<SetNode> nodes;
    nodes.reserve(static_cast<std::size_t>(rows.rows()));
    for (int i = 0; i < rows.rows(); ++i) {
        SetNode node{.id = static_cast<int>(pg::read_integer(rows.bytes(i, 0))),
                     .spec = std::string(rows.bytes(i, 1)),
                     .name = std::string(rows.bytes(i, 2)),
                     .items = pg::read_integer(rows.bytes(i, 3)),
                     .description = {}};
        if (rows.columns() > 4) node.description = rows.bytes(i, 4);
        if (rows.columns() > 5) node.has_children = pg::read_bool(rows.bytes(i, 5));
        nodes.push_back(std::move(node));
    }
    return nodes;
}

}  // namespace

std::vector<SetNode> BrowseQueries::path(std::string_view spec) {
    return read_nodes(store_.connection()->query(queries::kSetPath, pg::Parameters().add(spec)));
}

std::vector<SetNode> BrowseQueries::children(std::optional<int> parent, std::string_view after,
                                             int n) {
    pg::Parameters p;
    p.add(after).add(n);
    if (parent) p.add(*parent);
    return read_nodes(
        store_.connection()->query(parent ? queries::kChildSets : queries::kRootSets, p));
}

std::vector<SetNode> BrowseQueries::with_prefix(std::string_view prefix, std::string_view after,
                                                int n) {
    return read_nodes(store_.connection()->query(queries::kSetsByPrefix,
                                                 pg::Parameters().add(after).add(n).add(prefix)));
}

std::vector<std::vector<SetNode>> BrowseQueries::paths(std::span<const int> ids) {
    if (ids.empty()) return {};
    const pg::Result rows = store_.connection()->query(
        queries::kSetPaths, pg::Parameters().add(pg::int_array_literal(ids)));
    std::map<std::int64_t, std::vector<SetNode>> by_leaf;
    for (int i = 0; i < rows.rows(); ++i)
        by_leaf[pg::read_integer(rows.bytes(i, 0))].push_back(
            {.id = static_cast<int>(pg::read_integer(rows.bytes(i, 1))),
             .spec = std::string(rows.bytes(i, 2)),
             .name = std::string(rows.bytes(i, 3)),
             .items = pg::read_integer(rows.bytes(i, 4)),
             .description = {}});
    std::vector<std::vector<SetNode>> paths;
    for (auto& [leaf, path] : by_leaf) {
        // The spec of a set begins with that of its parent.
        std::sort(path.begin(), path.end(),
                  [](const SetNode& a, const SetNode& b) { return a.spec.size() < b.spec.size(); });
        paths.push_back(std::move(path));
    }
    std::sort(paths.begin(), paths.end(),
              [](const auto& a, const auto& b) { return a.back().spec < b.back().spec; });
    return paths;
}

std::int64_t BrowseQueries::page_before(std::int64_t upto, int n) {
    const pg::Result row =
        store_.connection()->query(queries::kPageBefore, pg::Parameters().add(upto).add(n));
    return row.rows() == 0 ? 0 : pg::read_integer(row.bytes(0, 0));
}

std::int64_t BrowseQueries::total() {
    const pg::Result row = store_.connection()->query(queries::kTotal);
    return pg::read_integer(row.bytes(0, 0));
}

std::vector<Part> BrowseQueries::parts(std::int64_t width) {
    const pg::Result rows =
        store_.connection()->query(queries::kParts, pg::Parameters().add(width));
    std::vector<Part> parts;
    for (int i = 0; i < rows.rows(); ++i)
        parts.push_back(
            {pg::read_integer(rows.bytes(i, 0)), pg::read_timestamptz(rows.bytes(i, 1))});
    return parts;
}

}  // namespace oai
