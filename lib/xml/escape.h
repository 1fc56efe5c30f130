// SPDX-License-Identifier: MIT
// Text and attribute values as XML, checked once against XML 1.0 Char: what is not a Char becomes U+FFFD. The one
// place where this program escapes by hand; optimised, since every header passes here.
#pragma once

#include <string>
#include <string_view>

namespace oai::xml {

void append_text(std::string& out, std::string_view utf8);       // & < > and \r
void append_attribute(std::string& out, std::string_view utf8);  // & < > " and \t \n \r

}  // namespace oai::xml
