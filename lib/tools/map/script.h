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

// 'it''s'
std::string literal(std::string_view text);

// One value as text, the same in every session.
std::string text_of(std::string_view type, const std::string& value);

// What library.item shall have of an item, as jsonb, in a select over the table of the items.
std::string content(const Plan& plan);
// A select of the rows (value, name) of one rule, beside a row of whatever has this key.
std::string set_rows(const Plan& plan, const Plan::PlannedSet& rule, const std::vector<Field>& key);
// "author"."article_id" = "article"."id", or what else the key is
std::string joined(const Plan& plan, std::size_t child, const std::vector<Field>& key);
// "mag.author" "author" join ... up to the table below that of the items
std::string chain(const Plan& plan, std::size_t source);
std::string joined_to_item(const Plan& plan, std::size_t source, const std::vector<Field>& key);
// A select of the keys, as text, of the items to which these rows of the table lead.
std::string keys_of(const Plan& plan, std::size_t source, const std::string& rows);

// The parts of a key, each as `piece` has it with {0} its value, {1} its type, {2} its number.
std::string each_key(const std::vector<Field>& key, std::string_view separator,
                     std::string_view piece);
std::string key_type(const Column& key);

// An expression over one table; the further one makes PostgreSQL name the table of each column.
std::string value_query(const Source& source, std::string_view expression);
// A row for each item (schema/library/tables.sql, library.mapping).
std::string source_query(const Plan& plan);
// The keys of all items to which rows of the log lead.
std::string ways_query(const Plan& plan, std::string_view log);
// What oai.map_change() takes, as JSON.
std::string map_json(const Plan& plan);

}  // namespace oai::mapping
