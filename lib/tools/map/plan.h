// SPDX-License-Identifier: MIT
// A mapping compared with the tables that it names: which columns and joins are meant, and what
// cannot be mapped, in words. Pure but for the catalog that it asks.
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
    Column column;  // its name for messages
    std::string sql;
    std::vector<std::string> reads;  // columns of the table
};

struct JoinTerm {
    Field own;
    std::optional<Field> other;  // of the table that it joins; none: a part of the key
};

// A table of the mapping; the first one has the items.
struct Source {
    Table table;
    std::string alias;  // what columns call it
    std::size_t parent = 0;
    std::vector<JoinTerm> joins;  // with the parent; of the first one none
    std::string order;            // as SQL has it
    bool is_watched = true;
    int line = 0;
    std::map<std::string, int> lines;  // of the columns that the map names
};

// A table that is read; of the watched ones triggers write down what leads to items.
struct Watch {
    std::string oid, name;
    int line = 0;
    std::vector<Column> leading;
    std::map<std::string, int> used;  // columns whose names must stay; where the map names them
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
    std::vector<PlannedElement> elements;  // each name once
    struct PlannedSet {
        std::string label, title;  // "": whole setSpecs
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
    std::vector<std::string> warnings;  // each says what to do
};

struct Catalog {
    std::function<std::optional<Table>(std::string_view)> table;
    std::function<Query(std::string_view)> query;
};

// Throws ConfigError with a line for everything that cannot be mapped.
Plan make_plan(const Definition& definition, const Catalog& catalog);

}  // namespace oai::mapping
