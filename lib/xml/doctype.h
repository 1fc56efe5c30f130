// SPDX-License-Identifier: MIT
// The DOCTYPE of documents that others made: one that declares nothing itself is harmless as long
// as what it refers to is never read. Our parsers refuse any. Pure.
#pragma once

#include <string>

namespace oai::xml {

// Writes blanks over the DOCTYPE of a document, so that all else stays on its line. Returns false,
// and changes nothing, if there is none, or one that declares something itself.
bool hide_doctype(std::string& document);

}  // namespace oai::xml
