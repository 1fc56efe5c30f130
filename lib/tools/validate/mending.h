// SPDX-License-Identifier: MIT
// What follows from the violation of a sentence, for the manager of a repository: whom it hurts and
// how, and what to do. Pure.
#pragma once

#include <string_view>

#include "tools/validate/demand.h"

namespace oai::validate {

struct Mending {
    std::string_view harm;  // which harvesters it hurts, and how
    std::string_view mend;  // how to mend it
};

// There is one for each demand that a check rests on.
const Mending& mending_of(const Demand& demand);

}  // namespace oai::validate
