// SPDX-License-Identifier: MIT
// A record's Dublin Core as JSON-LD in the words of schema.org, for search engines. Pure; thread-safe.
#pragma once

#include <string>

#include "xml/handle.h"

namespace oai {

struct JsonLdFacts {
    std::string identifier;  // of OAI-PMH
    std::string url;         // of the record's page
    std::string catalogue;   // the repository's name
};

// dc: an element whose children are elements of Dublin Core. ASCII, and nothing in it that HTML could take for markup:
// no <, > and &.
std::string json_ld(const xmlNode* dc, const JsonLdFacts& facts);

}  // namespace oai
