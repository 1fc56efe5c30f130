// SPDX-License-Identifier: MIT
// A record's Dublin Core as JSON-LD in the vocabulary of schema.org, for search engines. Pure;
// thread-safe.
#pragma once

#include <string>

#include "xml/handle.h"

namespace oai {

struct JsonLdFacts {
    std::string identifier;  // the OAI identifier
    std::string url;         // the address of the record's page
    std::string catalogue;   // the repository's name
};

// dc: an element whose children are elements of Dublin Core. The result is ASCII and has no <, > or
// &, so that HTML cannot take it for markup.
std::string json_ld(const xmlNode* dc, const JsonLdFacts& facts);

}  // namespace oai
