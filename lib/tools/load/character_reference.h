// SPDX-License-Identifier: MIT
// Reads the character references of HTML: numeric ones and HTML 4's named ones (xml/character.h),
// those of Latin 1 also without their semicolon where HTML allows it in attributes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oai::load {

struct CharacterReference {
    std::size_t size = 0;         // in bytes; 0 if there is no reference
    std::uint32_t character = 0;  // 0: an unknown name, or a number of no character
};

// The reference that the text begins with, if it begins with one.
CharacterReference read_character_reference(std::string_view text);

// Whether HTML takes the number as that of a character of windows-1252 (HTML, 13.2.5.80).
constexpr bool is_of_windows_1252(std::uint32_t number) { return number >= 0x80 && number < 0xA0; }

}  // namespace oai::load
