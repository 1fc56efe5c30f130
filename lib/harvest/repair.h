// SPDX-License-Identifier: MIT
// Making XML of what repositories send as XML. Works on the bytes, before any parser. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oai::harvest {

// Without what stands before the document in vain: byte order marks of UTF-8 and blanks (a declaration must come first).
std::string_view without_lead(std::string_view bytes);

struct Repaired {
    std::string bytes;
    std::int64_t changes = 0;  // characters, references, what stood behind; 0: bytes are as they were
};

// Ill-formed UTF-8, and characters that XML 1.0 forbids (2.2), become U+FFFD, so do references to such characters
// (&#1;); of a document that declares another encoding only the C0 controls do. An & that begins no reference of XML's
// own (4.1, 4.6), as in a&b or &nbsp;, becomes &amp;. Comments and CDATA sections keep their &. What stands behind the last
// end tag of OAI-PMH, as warnings of PHP do, goes.
Repaired repair(std::string_view bytes);

}  // namespace oai::harvest
