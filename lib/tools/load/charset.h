// SPDX-License-Identifier: MIT
// The encodings of web pages: which one a page is in, and the conversion to UTF-8, with the tables
// and the detector of ICU. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::load {

// The encoding by this label, as ICU calls it, or nullptr: those that browsers know (WHATWG,
// Encoding, 4.2), whatever the case and the punctuation of the label. As there, Latin 1 means
// windows-1252, and GB 2312 means GB 18030.
const char* encoding_of_label(std::string_view label);

// The parameter charset of a Content-Type, as the label stands there; "" if there is none.
std::string_view charset_parameter(std::string_view content_type);

// The encoding that the bytes show by themselves: by a byte order mark, or since the first
// characters of markup are in UTF-16; else nullptr.
const char* evident_encoding(std::string_view bytes);

// Guesses the encoding of a text of which nobody says it. Never nullptr: windows-1252 if there is
// nothing to go by. Looks at the first 16 KB.
const char* guess_encoding(std::string_view bytes);

// Whether the bytes, the last of which may begin a character, are UTF-8, and not all ASCII.
bool is_surely_utf8(std::string_view bytes);

// Bytes that are none in this encoding become U+FFFD; a byte order mark is dropped.
// REQUIRES: encoding is one that these functions return.
std::string to_utf8(std::string_view bytes, const char* encoding);

}  // namespace oai::load
