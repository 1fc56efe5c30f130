// SPDX-License-Identifier: MIT
#include "xml/character.h"

#include <libxml/HTMLparser.h>

namespace oai::xml {

std::optional<std::uint32_t> named_character(const std::string& name) {
    const htmlEntityDesc* const entity =
        htmlEntityLookup(reinterpret_cast<const xmlChar*>(name.c_str()));
    return entity == nullptr ? std::nullopt : std::optional<std::uint32_t>(entity->value);
}

}  // namespace oai::xml
