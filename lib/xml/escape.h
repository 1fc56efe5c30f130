// SPDX-License-Identifier: MIT
// Writes text and attribute values as XML. Whatever is not a Char of XML 1.0 (production 2) becomes
// U+FFFD, one for each maximal ill-formed sequence of bytes. Optimised, since every header and
// every value of metadata is written by these functions. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai::xml {

void append_text(std::string& out, std::string_view utf8);       // escapes & < > and \r
void append_attribute(std::string& out, std::string_view utf8);  // escapes & < > " and \t \n \r

// The same for XML text (base/text.h): its characters are not checked again.
void append_checked_text(std::string& out, std::string_view text);
void append_checked_attribute(std::string& out, std::string_view text);
bool is_plain_checked(std::string_view text);  // if true, both write it unchanged

// True if the text is ASCII with nothing to escape, so that all these functions write it unchanged.
// May be false for other texts that they also write unchanged.
bool is_plain(std::string_view utf8);

}  // namespace oai::xml
