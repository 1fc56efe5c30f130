// SPDX-License-Identifier: MIT
// Small, pure helpers for text. They know nothing of XML documents, HTTP or OAI-PMH.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::text {

struct Character {
    // In bytes; for an ill-formed sequence, that of its maximal subpart (Unicode 15, 3.9).
    std::size_t length;
    bool well_formed;
    char32_t value;
};

// The character at the start. REQUIRES: bytes is not empty.
Character first_character(std::string_view bytes);

// Appends the character in UTF-8. A number that is no Unicode character (0, a surrogate, beyond
// U+10FFFF) becomes U+FFFD.
void append_character(std::string& to, char32_t character);

// Whether a terminal might interpret the character, or it changes the direction of writing.
bool is_unsafe_for_terminal(char32_t c);

// Whether the text is well-formed UTF-8 (no overlong forms, no surrogates, <= U+10FFFF).
bool is_utf8(std::string_view bytes);

// Whether it is a Char of XML 1.0 (production 2): no C0 control except \t, \n and \r, no surrogate,
// neither U+FFFE nor U+FFFF.
bool is_xml_char(char32_t c);
// Whether the text is UTF-8 and every character is such a Char.
bool is_xml_text(std::string_view bytes);

// The one cleaner of characters. Two surrogates that are encoded as characters of three bytes each,
// as CESU-8 does, become their character; each maximal subpart of another ill-formed sequence
// (Unicode 15, 3.9) and every character that XML 1.0 forbids becomes U+FFFD. Returns how many.
std::int64_t clean(std::string& text);
// The same of any bytes, not counted.
std::string to_xml_text(std::string_view bytes);

// At most max_bytes from the start, never ending inside a character. REQUIRES: is_utf8(utf8).
std::string_view utf8_prefix(std::string_view utf8, std::size_t max_bytes);

// The value of a hexadecimal digit, in either case; -1 for another character.
int hex_value(char c);
// The byte as two hexadecimal digits, letters in upper case.
void append_hex(std::string& out, char byte);
// The byte that a complete %HH at s[at] stands for; nullopt if there is none.
std::optional<char> percent_escape_at(std::string_view s, std::size_t at);

// Decodes %HH and '+' of application/x-www-form-urlencoded. nullopt: a % without two digits.
std::optional<std::string> percent_decode(std::string_view encoded);

// Writes every byte as %HH, except letters, digits, "-._~" and the characters of `kept`.
std::string percent_encode(std::string_view bytes, std::string_view kept = "");

// base64url without padding (RFC 4648, 5), by libsodium. The decoder returns nullopt for any
// character outside the alphabet and for non-canonical trailing bits.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view encoded);

// BLAKE2b of so many bytes, as hexadecimal digits.
std::string hex_hash(std::string_view bytes, std::size_t length);

// "a::b" gives "a", "" and "b"; "" gives one "".
std::vector<std::string_view> split(std::string_view s, char separator);
std::string_view trim(std::string_view s);  // removes ASCII blanks, tabs and line ends at both ends
std::string lower_ascii(std::string_view s);

// Reads the whole text as a decimal integer; nullopt for anything else, such as "", " 1" and "+1".
std::optional<std::int64_t> to_integer(std::string_view s);

}  // namespace oai::text
