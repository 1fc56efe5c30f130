// SPDX-License-Identifier: MIT
// Resolves a mapping against the tables of the database: columns, keys and joins, with a message
// for everything that cannot be mapped. Pure, except for the catalog.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/map/catalog.h"
#include "tools/map/definition.h"

namespace oai::mapping {

// A column, or an expression over the columns of one table.
struct Field {
    std::size_t source;
    Column column;  // the name is for messages
    std::string sql;
    std::vector<std::string> reads;  // columns of the table
};

struct JoinTerm {
    Field own;
    std::optional<Field> other;  // in the joined table; nullopt: a part of the item's key
};

// A table of the mapping; the first has the items.
struct Source {
    Table table;
    std::string alias;  // as used in columns
    std::size_t parent = 0;
    std::vector<JoinTerm> joins;  // with the parent; empty for the first
    std::string order;            // SQL
    bool is_watched = true;
    int line = 0;
    std::map<std::string, int> lines;  // of the columns in the file
};

// A table that is read. Triggers on a watched one log the columns that lead to items.
struct Watch {
    std::string oid, name;
    int line = 0;
    std::vector<Column> leading;
    std::map<std::string, int> used;  // columns that must not be renamed -> line in the file
};

struct Plan {
    Definition definition;
    std::vector<Source> sources;
    std::vector<Field> key;
    std::optional<Field> where, datestamp, again;
    struct PlannedElement {
        std::string name;
        std::vector<Field> fields;
    };
    std::vector<PlannedElement> elements;  // distinct names
    struct PlannedSet {
        std::string label, title;  // "": complete setSpecs
        Field column;
        std::optional<Field> name;
    };
    std::vector<PlannedSet> sets;
    struct Deleted {
        std::vector<Field> key;
        std::optional<Field> datestamp;
    };
    std::optional<Deleted> deleted;
    std::vector<Watch> watches;
    std::vector<Watch> also_read;       // further tables
    std::string source, ways;           // queries (schema/library/tables.sql, library.mapping)
    std::vector<std::string> warnings;  // with advice
};

struct Catalog {
    std::function<std::optional<Table>(std::string_view)> table;
    std::function<Query(std::string_view)> query;
};

// Throws ConfigError with a line for each problem.
Plan make_plan(const Definition& definition, const Catalog& catalog);

}  // namespace oai::mapping
