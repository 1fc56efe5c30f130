// SPDX-License-Identifier: MIT
// Changes the attribute `since` in the text of a format file, and nothing else.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace oai {

// Returns the text with since="MOMENT" in the element that describes the format (description.h);
// nullopt if the element cannot be found, as in a text that is not in UTF-8. path: its ending tells
// the kind of file. Throws xml::Error if the text is not well-formed. Pure.
std::optional<std::string> with_since(const std::string& text, const std::string& path,
                                      Seconds moment);

}  // namespace oai
