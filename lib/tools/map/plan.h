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

struct JoinTerm {
    std::string own, other;  // columns of the table and of the one that it joins
};

struct OrderTerm {
    std::size_t source;
    std::string column;
    bool is_descending;
};

// A table of the mapping; the first one has the items.
struct Source {
    Table table;
    std::string alias;  // what columns call it
    std::size_t parent = 0;
    std::vector<JoinTerm> joins;  // with the parent; of the first one none
    std::vector<OrderTerm> order;
    std::map<std::string, int> used;  // columns whose changes are changes of items; their lines
    int line = 0;
};

struct Field {
    std::size_t source;
    Column column;
};

struct Plan {
    Definition definition;
    std::vector<Source> sources;
    std::vector<Column> key;
    std::optional<Column> datestamp;
    struct PlannedElement {
        std::string name;
        std::vector<Field> fields;
    };
    std::vector<PlannedElement> elements;  // each name once
    struct PlannedSet {
        std::string label, title;
        Field column;
        std::optional<Field> name;
    };
    std::vector<PlannedSet> sets;
    std::vector<std::string> warnings;  // each says what to do
};

struct Catalog {
    std::function<std::optional<Table>(std::string_view)> table;
    std::function<std::vector<std::string>()> all_tables;
};

// Throws ConfigError with a line for everything that cannot be mapped.
Plan make_plan(const Definition& definition, const Catalog& catalog);

}  // namespace oai::mapping
