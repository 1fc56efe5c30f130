// SPDX-License-Identifier: MIT
#include "tools/map/catalog.h"

#include <algorithm>

#include "pg/binary.h"
#include "tools/map/queries.h"

namespace oai::mapping {
namespace {

std::string copy(const pg::Result& rows, int row, int column) {
    return std::string(rows.bytes(row, column));
}

}  // namespace

const Column* Table::find(std::string_view column) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& c) { return c.name == column; });
    return found == columns.end() ? nullptr : &*found;
}

bool Table::any_of(const std::vector<Index>& indexes, const Index& columns, bool no_others) {
    return std::any_of(
        indexes.begin(), indexes.end(),
        [&](const Index& index) {
            const std::size_t count =
                no_others ? index.size() : std::min(index.size(), columns.size());
            return std::all_of(
                index.begin(), index.begin() + count,
                [&](const auto& column) {
                    return std::find(columns.begin(), columns.end(), column) != columns.end();
                });
        });
}

Query read_query(pg::Connection& connection, std::string_view text) {
    std::optional<pg::Result> read;
    try {
        connection.script("map_trial", queries::kTrial + std::string(text));
        read = connection.query(queries::kReads);
    } catch (const pg::Error&) {
        if (!connection.broken()) connection.script("map_trial", queries::kEndTrial);
        throw;
    }
    connection.script("map_trial", queries::kEndTrial);
    const pg::Result& rows = *read;
    Query query;
    for (int i = 0; i < rows.rows(); ++i) {
        const std::string_view kind = rows.bytes(i, 0);
        if (kind == "text")
            query.text = copy(rows, i, 1);
        else if (kind == "time")
            query.depends_on_time = true;
        else if (kind == "column")
            query.columns.push_back({copy(rows, i, 1), copy(rows, i, 2), copy(rows, i, 3)});
        else
            query.reads.push_back({copy(rows, i, 2), copy(rows, i, 1), kind.front(),
                                   pg::read_texts(rows.bytes(i, 4))});
    }
    return query;
}

std::optional<Table> read_table(pg::Connection& connection, std::string_view name) {
    const pg::Result rows = connection.query(queries::kTable, pg::Parameters().add(name));
    if (rows.rows() == 0) return std::nullopt;
    Table table;
    for (int i = 0; i < rows.rows(); ++i) {
        const std::string_view kind = rows.bytes(i, 0);
        const std::vector<std::string> columns = pg::read_texts(rows.bytes(i, 4));
        if (kind == "table") {
            table.name = copy(rows, i, 1);
            table.oid = copy(rows, i, 2);
            table.kind = rows.bytes(i, 3).front();
            table.bare = columns.front();
            table.why_no_triggers = columns.back();
        } else {
            table.indexes.push_back(columns);
            if (kind == "unique") table.unique.push_back(columns);
        }
    }
    table.columns = read_query(connection, "table " + table.name).columns;
    return table;
}

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

}  // namespace oai::mapping
