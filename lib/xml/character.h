// SPDX-License-Identifier: MIT
// Characters by their names, numbers and bytes, by libxml2. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace oai::xml {

// Of HTML 4's 252 names and apos: "eacute" is U+E9. nullopt: it has no such name.
std::optional<std::uint32_t> named_character(const std::string& name);

// In UTF-8; U+FFFD for what is no character.
void append_character(std::string& to, std::uint32_t character);

// Every UTF-8 character beyond ASCII as its number: "&#233;". Bytes that are no UTF-8 stay.
std::string numbers_beyond_ascii(std::string_view utf8);

}  // namespace oai::xml
