// SPDX-License-Identifier: MIT
#include "xml/character.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace oai::xml {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::size_t kMaxCharacterBytes = 4;  // bytes of one UTF-8 character

// The number of bytes of the UTF-8 character at the beginning of `bytes`; 0 if they do not begin
// with one.
std::size_t size_of_first(std::string_view bytes) {
    for (std::size_t n = 1; n <= std::min(kMaxCharacterBytes, bytes.size()); ++n)
        if (text::is_utf8(bytes.substr(0, n))) return n;
    return 0;
}

}  // namespace

std::optional<std::uint32_t> named_character(const std::string& name) {
    const htmlEntityDesc* const entity =
        htmlEntityLookup(reinterpret_cast<const xmlChar*>(name.c_str()));
    return entity == nullptr ? std::nullopt : std::optional<std::uint32_t>(entity->value);
}

void append_character(std::string& to, std::uint32_t character) {
    const bool is_character =
        character != 0 && character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
    std::array<xmlChar, kMaxCharacterBytes + 1> bytes{};
    const int n = xmlCopyCharMultiByte(bytes.data(),
                                       static_cast<int>(is_character ? character : kReplacement));
    to.append(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::size_t>(std::max(n, 0)));
}

std::string numbers_beyond_ascii(std::string_view utf8) {
    std::string out;
    while (!utf8.empty()) {
        const std::size_t n = size_of_first(utf8);
        int size = static_cast<int>(n);
        if (n < 2)
            out += utf8[0];
        else
            out += "&#" +
                   std::to_string(
                       xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(utf8.data()), &size)) +
                   ";";
        utf8.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return out;
}

}  // namespace oai::xml
