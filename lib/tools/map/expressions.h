// SPDX-License-Identifier: MIT
// The SQL expressions and joins of a mapping: what the values of a column are, and which items the
// rows of a table belong to. Pure. Names are quoted; values stand in no expression.
#pragma once

#include <string>
#include <string_view>

#include "tools/map/plan.h"

namespace oai::mapping {

// One value as text, the same in every session.
std::string text_of(std::string_view type, const std::string& value);
// "author"."name"
std::string column_of(const Plan& plan, std::size_t source, std::string_view column);

// What library.item shall have of an item, as jsonb, in a select over the table of the items.
std::string content(const Plan& plan);
// A select of the rows (value, name) of one rule, beside a row of the items' table.
std::string set_rows(const Plan& plan, const Plan::PlannedSet& rule);
// "mag.author" "author" join ... up to the table below that of the items; its rows meet the
// condition of joined_to_item().
std::string chain(const Plan& plan, std::size_t source);
std::string joined_to_item(const Plan& plan, std::size_t source);
// The same, where `rows` takes the place of the table, and with the items' table.
std::string chain_with_items(const Plan& plan, std::size_t source, const std::string& rows);

// The statement that makes an index of these columns.
std::string make_index(const Table& table, const std::vector<std::string>& columns);

}  // namespace oai::mapping
