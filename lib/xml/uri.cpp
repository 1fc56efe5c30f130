// SPDX-License-Identifier: MIT
#include "xml/uri.h"

#include <libxml/uri.h>

#include "base/text.h"
#include "xml/handle.h"

namespace oai::xml {

bool is_any_uri(std::string_view text) {
    // The reserved ASCII characters, % and white space, which are not escaped before the text is
    // parsed as a URI.
    constexpr std::string_view kKept = " \t\r\n!#$%&'()*+,/:;=?@[]";
    const std::string escaped = text::percent_encode(text, kKept);
    return UriHandle(xmlParseURI(escaped.c_str())) != nullptr;
}

}  // namespace oai::xml
