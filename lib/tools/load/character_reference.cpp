// SPDX-License-Identifier: MIT
#include "tools/load/character_reference.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "xml/character.h"

namespace oai::load {
namespace {

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Reads "&#38;" or "&#x26;"; HTML allows both without the semicolon.
CharacterReference read_numeric(std::string_view s) {
    const bool hex = s.size() > 2 && (s[2] == 'x' || s[2] == 'X');
    const char* const begin = s.data() + (hex ? 3 : 2);
    std::uint32_t value = 0;
    const auto end = std::from_chars(begin, s.data() + s.size(), value, hex ? 16 : 10);
    if (end.ptr == begin) return {};
    const auto size = static_cast<std::size_t>(end.ptr - s.data());
    const bool is_character = end.ec == std::errc() && value > 0 && value <= 0x10FFFF &&
                              (value < 0xD800 || value >= 0xE000);
    return {size + (s.substr(size).starts_with(';') ? 1 : 0), is_character ? value : 0};
}

// HTML, 13.2.5.73: in an attribute a Latin 1 name counts without its semicolon if neither '=' nor a
// letter or digit follows.
CharacterReference read_named(std::string_view s) {
    const auto* const end = std::find_if_not(s.begin() + 1, s.end(), is_alphanumeric);
    const std::string name(s.begin() + 1, end);
    const char behind = end == s.end() ? '\0' : *end;
    const std::optional<std::uint32_t> character = xml::named_character(name);
    if (behind == ';' && !name.empty()) return {name.size() + 2, character.value_or(0)};
    const bool is_latin1 = character && (*character < 0x100 && name != "apos");
    return is_latin1 && behind != '=' ? CharacterReference{name.size() + 1, *character}
                                      : CharacterReference{};
}

}  // namespace

CharacterReference read_character_reference(std::string_view s) {
    if (!s.starts_with('&')) return {};
    return s.size() > 2 && s[1] == '#' ? read_numeric(s) : read_named(s);
}

}  // namespace oai::load
