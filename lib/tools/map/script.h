// SPDX-License-Identifier: MIT
// The SQL that makes what a mapping says. Pure.
#pragma once

#include <string>

#include "tools/map/plan.h"

namespace oai::mapping {

// For one transaction, which locks the tables for a moment; oai.map_poll() then brings the items to
// what the tables hold.
std::string apply_script(const Plan& plan);

}  // namespace oai::mapping
