// SPDX-License-Identifier: MIT
// Generates the SQL of a mapping. Pure. Names are quoted; expressions contain no values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/map/plan.h"

namespace oai::mapping {

// Whether library.item has a column for it.
bool is_known_element(std::string_view name);
// What library.item shall have of an item, as jsonb, in a select over the table of the items.
std::string content(const Plan& plan);
// "author"."article_id" = "article"."id", or what else the key is
std::string join_condition(const Plan& plan, std::size_t child, const std::vector<Field>& key);
// The from clause "mag.author" "author" join ..., up to the table next to that of the items.
std::string from_clause(const Plan& plan, std::size_t source);
// An expression over one table; the further one makes PostgreSQL name the table of each column.
std::string value_query(const Source& source, std::string_view expression);
// A row for each item (schema/library/source.sql).
std::string source_query(const Plan& plan);
// The query of the keys of all items that rows of the log affect.
std::string ways_query(const Plan& plan, std::string_view log);
// What oai.map_change() takes, as JSON; and that as a statement for psql.
std::string map_json(const Plan& plan);
std::string change_statement(const std::string& map);

}  // namespace oai::mapping
