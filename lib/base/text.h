// SPDX-License-Identifier: MIT
// Small, pure helpers over text. Knows nothing of XML documents, HTTP or OAI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::text {

// True if the whole of it is well-formed UTF-8 (no overlong forms, no surrogates, <= U+10FFFF).
bool is_utf8(std::string_view bytes);

// True if it is UTF-8 and every character is an XML 1.0 Char (production 2): no C0 controls but \t \n \r,
// no U+FFFE, U+FFFF.
bool is_xml_text(std::string_view bytes);

// Every ill-formed sequence and every character that XML 1.0 forbids becomes U+FFFD; the rest is unchanged. Of an
// ill-formed sequence each maximal subpart counts once (Unicode 15, 3.9, as browsers and Python do).
std::string to_xml_text(std::string_view bytes);

// What a terminal can be given: as to_xml_text(), and control characters but \n and \t, and those that turn the direction of
// text, as \u{9B}: a terminal would obey them, and a reader be misled.
std::string shown(std::string_view utf8);

// At most so many bytes from the start, never ending inside a character. REQUIRES: is_utf8(utf8).
std::string_view utf8_prefix(std::string_view utf8, std::size_t most_bytes);

// %HH and '+' of application/x-www-form-urlencoded. nullopt if a % is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view encoded);

// %HH for all but letters, digits, "-._~" and what `kept` has.
std::string percent_encode(std::string_view bytes, std::string_view kept = "");

// base64url without padding (RFC 4648, 5), by libsodium. decode: nullopt on any character outside the alphabet
// or on non-canonical trailing bits.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view encoded);

std::vector<std::string_view> split(std::string_view s, char separator);  // "a::b" -> a, "", b; "" -> one ""
std::string_view trim(std::string_view s);                                // ASCII blanks, tabs, line ends
std::string lower_ascii(std::string_view s);

// The whole of it as a decimal integer, else nullopt ("1OO", "", " 1", "+1" and overflow are nullopt).
std::optional<std::int64_t> to_integer(std::string_view s);

}  // namespace oai::text
