// SPDX-License-Identifier: MIT
// The SQL that makes what a mapping says: what the values of a column are, which items the rows of
// a table belong to, and all of it. Pure. Names are quoted; values stand in no expression.
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
std::string joined(const Plan& plan, std::size_t child, const std::vector<Field>& key);
// "mag.author" "author" join ... up to the table below that of the items
std::string chain(const Plan& plan, std::size_t source);
// An expression over one table; the further one makes PostgreSQL name the table of each column.
std::string value_query(const Source& source, std::string_view expression);
// A row for each item (schema/library/source.sql).
std::string source_query(const Plan& plan);
// The keys of all items to which rows of the log lead.
std::string ways_query(const Plan& plan, std::string_view log);
// What oai.map_change() takes, as JSON; and that as a statement for psql.
std::string map_json(const Plan& plan);
std::string change_statement(const std::string& map);

}  // namespace oai::mapping
