// SPDX-License-Identifier: MIT
// Text and attribute values as XML, checked once against XML 1.0 Char (production 2): what is not a Char becomes
// U+FFFD, one for each maximal ill-formed sequence. The one place where this program escapes by hand; optimised,
// since every header and every value of metadata passes here. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai::xml {

void append_text(std::string& out, std::string_view utf8);       // & < > and \r
void append_attribute(std::string& out, std::string_view utf8);  // & < > " and \t \n \r
void append_chars(std::string& out, std::string_view utf8);      // checked, nothing escaped (comments)

// Printable ASCII with nothing to escape: all three write it as it is. False of some other texts that they do.
bool is_plain(std::string_view utf8);

}  // namespace oai::xml
