// SPDX-License-Identifier: MIT
// The SQL that makes what a mapping says. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/map/plan.h"

namespace oai::mapping {

// What is in the database before.
struct MapState {
    std::size_t old_keys = 0;  // key columns of oai.item that an earlier release has made
};

// @name@ in the template becomes the name's value. Throws std::logic_error for one without a value.
using Substitutions = std::vector<std::pair<std::string_view, std::string>>;
std::string fill_in(std::string_view text, const Substitutions& values);

// The copy, views, functions and triggers; for one transaction, which locks the tables for a
// moment. believe: even if most items go.
std::string structure_script(const Plan& plan, const MapState& state, bool believe);
// Brings all items to what the copy holds; for another transaction.
std::string_view refresh_script();
// Takes away views, functions and triggers of any mapping; items stay.
std::string drop_script();
// structure_script() and refresh_script(), each in its transaction, for psql.
std::string whole_script(const Plan& plan, const MapState& state, bool believe);

}  // namespace oai::mapping
