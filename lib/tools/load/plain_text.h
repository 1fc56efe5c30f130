// SPDX-License-Identifier: MIT
// Makes a line of text that may stand in a title of what a document has. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace oai::load {

// Decodes HTML's character references in UTF-8. Unknown names stay as they are.
std::string with_references_decoded(std::string_view utf8);

// One line of at most max_characters: white space and control characters in a row become one blank,
// and characters that are not seen but change how others are shown are dropped. What is cut off is
// replaced by an ellipsis. "" if more than an eighth of the characters is U+FFFD: the encoding was
// not found out.
std::string plain_text(std::string_view utf8, std::size_t max_characters);

}  // namespace oai::load
