// SPDX-License-Identifier: MIT
// XPath's functions of strings (XPath 1.0, 4.2), and two of EXSLT, over UTF-8. REQUIRES of each:
// the texts are XML text (base/text.h). Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace oai::transform {

std::size_t count_characters(std::string_view utf8);
// The first of a repeated character in `from` counts; what has no counterpart in `to` goes.
void append_translated(std::string& out, std::string_view s, std::string_view from,
                       std::string_view to);
// Leading and trailing blanks go, a run of blanks becomes one space. REQUIRES: `out` is empty.
void append_normalized(std::string& out, std::string_view s);
// The characters from `first` up to and without `behind`, which count from 1.
std::string_view substring(std::string_view s, std::size_t first, std::size_t behind);
// str:replace of EXSLT.
void append_replaced(std::string& out, std::string_view s, std::string_view part,
                     std::string_view by);
// str:encode-uri of EXSLT, as its library does it.
void encode_uri(std::string& text);

}  // namespace oai::transform
