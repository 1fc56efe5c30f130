// SPDX-License-Identifier: MIT
#include "tools/map/catalog.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "pg/binary.h"
#include "tools/map/queries.h"

namespace oai::mapping {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string copy(const pg::Result& rows, int row, int column) {
    return std::string(rows.bytes(row, column));
}

void read_indexes(pg::Connection& connection, Table& table) {
    const pg::Result rows =
        connection.query(queries::kIndexes, pg::Parameters().add(std::string_view(table.oid)));
    for (int i = 0; i < rows.rows(); ++i) {
        table.indexes.push_back(pg::read_texts(rows.bytes(i, 0)));
        if (pg::read_bool(rows.bytes(i, 1))) table.unique.push_back(table.indexes.back());
    }
}

void read_parts(pg::Connection& connection, Table& table) {
    const pg::Parameters oid = pg::Parameters().add(std::string_view(table.oid));
    const pg::Result keys = connection.query(queries::kForeignKeys, oid);
    for (int i = 0; i < keys.rows(); ++i)
        table.foreign_keys.push_back(
            {pg::read_texts(keys.bytes(i, 0)), copy(keys, i, 1), pg::read_texts(keys.bytes(i, 2))});
    const pg::Result parts = connection.query(queries::kParts, oid);
    for (int i = 0; i < parts.rows(); ++i)
        table.parts.push_back({copy(parts, i, 0), parts.bytes(i, 1).front()});
}

// How many characters must be changed, added or removed to make the one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] =
                std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

const Column* Table::find(std::string_view column) const {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& c) { return c.name == column; });
    return found == columns.end() ? nullptr : &*found;
}

bool Table::has_index(const std::vector<std::string>& wanted) const {
    return std::any_of(
        indexes.begin(), indexes.end(),
        [&](const auto& index) {
            return !index.empty() &&
                   std::all_of(
                       index.begin(), index.begin() + std::min(index.size(), wanted.size()),
                       [&](const auto& c) { return contains(wanted, c); });
        });
}

bool Table::is_unique(const std::vector<std::string>& wanted) const {
    return std::any_of(
        unique.begin(), unique.end(),
        [&](const auto& index) {
            return !index.empty() && std::all_of(
                                         index.begin(), index.end(),
                                         [&](const auto& c) { return contains(wanted, c); });
        });
}

std::optional<Table> read_table(pg::Connection& connection, std::string_view name) {
    const pg::Result row = connection.query(queries::kTable, pg::Parameters().add(name));
    if (row.rows() == 0) return std::nullopt;
    Table table;
    table.oid = copy(row, 0, 0);
    table.name = copy(row, 0, 1);
    table.bare = copy(row, 0, 2);
    table.kind = row.bytes(0, 3).front();
    table.is_subscribed = pg::read_bool(row.bytes(0, 4));
    const pg::Parameters oid = pg::Parameters().add(std::string_view(table.oid));
    const pg::Result columns = connection.query(queries::kColumns, oid);
    for (int i = 0; i < columns.rows(); ++i)
        table.columns.push_back({copy(columns, i, 0), copy(columns, i, 1), copy(columns, i, 2)});
    read_indexes(connection, table);
    read_parts(connection, table);
    return table;
}

std::vector<std::string> all_tables(pg::Connection& connection) {
    const pg::Result rows = connection.query(queries::kAllTables);
    std::vector<std::string> names;
    for (int i = 0; i < rows.rows(); ++i) names.push_back(copy(rows, i, 0));
    return names;
}

std::string nearest(std::string_view name, const std::vector<std::string>& names) {
    const std::string wanted = text::lower_ascii(name);
    std::string best;
    std::size_t least = std::max<std::size_t>(2, wanted.size() / 3) + 1;
    for (const std::string& candidate : names) {
        const std::size_t d = distance(wanted, text::lower_ascii(candidate));
        if (d >= least) continue;
        least = d;
        best = candidate;
    }
    return best;
}

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

}  // namespace oai::mapping
