// SPDX-License-Identifier: MIT
// What a record is called, whatever its format. Pure.
#pragma once

#include <string>

#include "xml/handle.h"

namespace oai {

// The text of the first element "title" below that holds text alone, else of MARC's 245 $a, blanks collapsed; "" there is none.
std::string title_of(const xmlNode* metadata);

}  // namespace oai
