// SPDX-License-Identifier: MIT
// Names, numbers and UTF-8 bytes of characters, by the tables of libxml2. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace oai::xml {

// Looks up the name of an entity: "eacute" is U+E9. Knows those of HTML 4 and apos.
std::optional<std::uint32_t> named_character(const std::string& name);

// Appends the character in UTF-8. A number that is not a Unicode character (0, a surrogate, beyond
// U+10FFFF) becomes U+FFFD.
void append_character(std::string& to, std::uint32_t character);

}  // namespace oai::xml
