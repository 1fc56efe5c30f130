// SPDX-License-Identifier: MIT
#include "xml/character.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <array>

namespace oai::xml {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::size_t kMaxCharacterBytes = 4;  // bytes of one UTF-8 character

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

}  // namespace oai::xml
