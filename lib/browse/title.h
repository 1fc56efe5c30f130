// SPDX-License-Identifier: MIT
// The title of a record, whatever its format. Pure.
#pragma once

#include <string>

#include "xml/handle.h"

namespace oai {

// The text of the first element "title" below that has no child elements, or else of MARC's 245 $a;
// white space is collapsed. "" if there is neither.
std::string title_of(const xmlNode* metadata);

}  // namespace oai
