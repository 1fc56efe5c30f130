// SPDX-License-Identifier: MIT
// What the database says of one of its tables: columns, keys, indexes, partitions. Knows nothing of
// mappings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/connection.h"

namespace oai::mapping {

struct Column {
    std::string name;
    std::string type;     // without domain and modifier: "text", "character varying[]"
    std::string element;  // of an array, else ""
};

struct ForeignKey {
    std::vector<std::string> columns;
    std::string target;  // oid
    std::vector<std::string> target_columns;
};

struct Part {
    std::string name;  // quoted
    char kind;         // pg_class.relkind
};

struct Table {
    std::string oid;
    std::string name;  // quoted and qualified, for SQL
    std::string bare;  // without schema and quotes
    char kind = 'r';
    bool is_subscribed = false;  // logical replication writes it
    std::vector<Column> columns;
    std::vector<std::vector<std::string>>
        unique;  // columns of each unique index, the primary key first
    std::vector<std::vector<std::string>> indexes;  // columns of each index, the unique ones too
    std::vector<ForeignKey> foreign_keys;
    std::vector<Part> parts;  // itself first, then its partitions and heirs

    const Column* find(std::string_view column) const;
    // Whether an index begins with these columns, in any order.
    bool has_index(const std::vector<std::string>& wanted) const;
    // Whether no two rows have the same values in these columns, by a unique index.
    bool is_unique(const std::vector<std::string>& wanted) const;
};

// Returns nullopt if there is no such table. Throws pg::Error.
std::optional<Table> read_table(pg::Connection& connection, std::string_view name);
std::vector<std::string> all_tables(pg::Connection& connection);

// The name that was probably meant; "" if none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& names);
// As SQL quotes a name, if need be.
std::string quote_name(std::string_view name);

}  // namespace oai::mapping
