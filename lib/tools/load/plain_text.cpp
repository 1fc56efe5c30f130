// SPDX-License-Identifier: MIT
#include "tools/load/plain_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"
#include "tools/load/character_reference.h"
#include "xml/character.h"

namespace oai::load {
namespace {

constexpr char32_t kReplacementCharacter = 0xFFFD;

// HTML, 13.2.5.80: what numbers of windows-1252's own characters mean.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

bool is_white(char32_t c) {
    return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Soft hyphens, blanks of no width, and what changes the direction of writing beyond the text.
bool is_unseen(char32_t c) {
    return c == 0xAD || c == 0x200B || (c >= 0x202A && c <= 0x202E) || c == 0x2060 ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

std::string with_references_decoded(std::string_view utf8) {
    std::string out;
    for (;;) {
        const std::size_t plain = std::min(utf8.size(), utf8.find('&'));
        out += utf8.substr(0, plain);
        utf8.remove_prefix(plain);
        if (utf8.empty()) return out;
        const CharacterReference reference = read_character_reference(utf8);
        if (is_of_windows_1252(reference.character))
            xml::append_character(out, kWindows1252[reference.character - 0x80]);
        else if (reference.character != 0)
            xml::append_character(out, reference.character);
        else
            out += utf8.substr(0, std::max<std::size_t>(reference.size, 1));
        utf8.remove_prefix(std::max<std::size_t>(reference.size, 1));
    }
}

std::string plain_text(std::string_view utf8, std::size_t max_characters) {
    std::string out;
    std::size_t characters = 0, replaced = 0;
    std::size_t end_of_cut = 0;  // where the text still leaves room for the ellipsis
    bool blank = false;
    while (!utf8.empty()) {
        const text::Character c = text::first_character(utf8);
        const bool is_xml = c.well_formed && c.value != 0xFFFE && c.value != 0xFFFF;
        const std::string_view bytes = utf8.substr(0, c.length);
        utf8.remove_prefix(c.length);
        if (is_xml && is_white(c.value)) {
            blank = !out.empty();
            continue;
        }
        if (is_xml && is_unseen(c.value)) continue;
        const std::size_t wanted = blank ? 2 : 1;
        if (characters + wanted > max_characters) {
            out.resize(end_of_cut);
            out += "\u2026";
            break;
        }
        if (blank) out += ' ';
        blank = false;
        characters += wanted;
        if (is_xml)
            out += bytes;
        else
            out += "\uFFFD";
        if (!is_xml || c.value == kReplacementCharacter) ++replaced;
        if (characters < max_characters) end_of_cut = out.size();
    }
    return replaced * 8 > characters ? "" : out;
}

}  // namespace oai::load
