// SPDX-License-Identifier: MIT
// Views of NUL-terminated UTF-8 strings of libxml2 as std::string_view, and the reverse, without a
// copy: the result is valid as long as the owner of the string.
#pragma once

#include <libxml/xmlstring.h>

#include <string_view>

namespace oai::xml {

// Returns "" for nullptr.
inline std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

inline const xmlChar* xml_chars(const char* s) { return reinterpret_cast<const xmlChar*>(s); }

}  // namespace oai::xml
