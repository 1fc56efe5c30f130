// SPDX-License-Identifier: MIT
// The type anyURI of XML Schema (part 2, 3.2.17). Pure; thread-safe.
#pragma once

#include <string_view>

namespace oai::xml {

// Whether validators accept the text as an anyURI: it must be a URI reference (RFC 3986) after all
// non-ASCII characters, and those that XLink allows unescaped, have been percent-encoded. White
// space is not accepted, although some validators do. REQUIRES: no NUL.
bool is_any_uri(std::string_view text);

}  // namespace oai::xml
