// SPDX-License-Identifier: MIT
// Reads tables, and the columns and sources of queries, from the catalog of the database. Knows
// nothing of mappings.
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

struct Table {
    std::string oid;
    std::string name;             // quoted and qualified, or a query in parentheses, for SQL
    std::string bare;             // without schema and quotes
    char kind = 'r';              // pg_class.relkind
    std::string why_no_triggers;  // why triggers would miss changes; "" if they do not
    std::vector<Column> columns;
    using Index = std::vector<std::string>;  // its columns
    std::vector<Index> unique, indexes;      // the primary key first; all of them

    const Column* find(std::string_view column) const;
    // Whether an index begins with these columns, in any order; no_others: and has no others.
    static bool any_of(const std::vector<Index>& indexes, const Index& columns, bool no_others);
};

// The columns of a query, and the relations that it reads, also through views and functions.
struct Query {
    struct Read {
        std::string oid, name;
        char kind;  // pg_class.relkind; 'F': a function that may read others
        std::vector<std::string> columns;
    };
    std::string text;  // with qualified names
    bool depends_on_time = false;
    std::vector<Column> columns;
    std::vector<Read> reads;
};

// Throws pg::Error if the query is invalid.
Query read_query(pg::Connection& connection, std::string_view text);

// Returns nullopt if there is no such table. Throws pg::Error.
std::optional<Table> read_table(pg::Connection& connection, std::string_view name);

// Quotes an identifier for SQL.
std::string quote_name(std::string_view name);

}  // namespace oai::mapping
