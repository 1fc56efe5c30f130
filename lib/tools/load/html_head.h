// SPDX-License-Identifier: MIT
// Reads what the head of an HTML page says of it, as a browser would find it (HTML, 13.2), from the
// bytes of any encoding in which '<' and the letters of ASCII are single bytes. Each byte is looked
// at a bounded number of times. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oai::load {

// As they stand there: in the encoding of the page, with character references. "": it does not say.
struct HtmlHead {
    std::string_view title;           // of the first title that is not empty
    std::string_view language;        // the attribute lang, or xml:lang, of <html>
    std::string_view meta_language;   // <meta http-equiv=content-language>
    std::string_view charset;         // <meta charset>, or what stands in its place
    std::string_view description;     // <meta name=description>
    std::string_view og_description;  // <meta property=og:description>
};

// bytes: the beginning of a page. Reads on beyond the head only while it has found no title.
HtmlHead read_html_head(std::string_view bytes);

// Reads the character references of HTML: numeric ones and HTML 4's named ones (xml/character.h),
// those of Latin 1 also without their semicolon where HTML allows it in attributes. Pure.

struct CharacterReference {
    std::size_t size = 0;         // in bytes; 0 if there is no reference
    std::uint32_t character = 0;  // 0: an unknown name, or a number of no character
};

// The reference that the text begins with, if it begins with one.
CharacterReference read_character_reference(std::string_view text);

// Whether HTML takes the number as that of a character of windows-1252 (HTML, 13.2.5.80).
constexpr bool is_of_windows_1252(std::uint32_t number) { return number >= 0x80 && number < 0xA0; }

}  // namespace oai::load
