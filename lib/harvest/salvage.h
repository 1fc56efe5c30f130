// SPDX-License-Identifier: MIT
// What can still be had of a page of ListRecords that no parser takes as a whole: its records one by one, cut out of the
// text, and the way to the next page. Pure; thread-safe after xml::initialise().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harvest/answer.h"

namespace oai::harvest {

struct Remains {
    Answer answer;                    // the sound records; the token
    std::vector<std::string> broken;  // the identifiers of the others; "" where that cannot be read either
};

// nullopt: it is no such page, or its end is not there, so that nobody knows what follows.
std::optional<Remains> salvage(std::string_view bytes);

}  // namespace oai::harvest
