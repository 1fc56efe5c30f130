// SPDX-License-Identifier: MIT
// Turns what repositories send into XML, where simple repairs are enough. Works on bytes, before
// any parser. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oai::harvest {

// The bytes without leading white space and UTF-8 byte order marks, since an XML declaration must
// come first.
std::string_view skip_lead(std::string_view bytes);

struct RepairResult {
    std::string bytes;
    // Number of repairs: characters, references, trailing text. 0: the bytes are unchanged.
    std::int64_t changes = 0;
};

// Replaces by U+FFFD what is no well-formed UTF-8, characters that XML 1.0 forbids (2.2), and
// references to such characters (&#1;); in a document that declares another encoding only the C0
// control characters, by '?'. Escapes as &amp; each & that begins none of XML's own references
// (4.1, 4.6), as in a&b or &nbsp;, except in comments and CDATA sections. Drops what follows the
// last end tag of OAI-PMH, such as PHP's warnings.
RepairResult repair(std::string_view bytes);

}  // namespace oai::harvest
