// SPDX-License-Identifier: MIT
// Writes `since` into the text of a file of the formats directory, and changes nothing else in it.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace oai {

// The text with since="MOMENT" in the element that describes the format (description.h); nullopt if
// it has no such element that can be found as text, as in an encoding other than UTF-8. path: names
// the kind of file. Throws xml::Error if the text is not one of that kind. Pure.
std::optional<std::string> with_since(const std::string& text, const std::string& path,
                                      Seconds moment);

}  // namespace oai
