// SPDX-License-Identifier: MIT
// Extracts what is usable from a page of ListRecords that cannot be parsed as a whole: cuts the
// records out of the text, one by one, and reads the resumptionToken. Pure; thread-safe after
// xml::initialise().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/harvest/answer.h"

namespace oai::harvest {

struct SalvagedPage {
    ParsedAnswer answer;  // the records that can be parsed, and the token
    // Identifiers of the other records; "" where the identifier cannot be read either.
    std::vector<std::string> broken;
};

// Returns nullopt if it is no page of ListRecords, or if its end is missing, so that it is not
// known which page follows.
std::optional<SalvagedPage> salvage(std::string_view bytes);

}  // namespace oai::harvest
