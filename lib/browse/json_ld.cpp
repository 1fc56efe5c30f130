// SPDX-License-Identifier: MIT
#include "browse/json_ld.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "xml/handle.h"

namespace oai {
namespace {

struct Property {
    std::string_view element;
    const char* name;
};
// Elements that schema.org has no property for are left out.
constexpr std::array kProperties{
    Property{"title", "name"},
    Property{"creator", "creator"},
    Property{"contributor", "contributor"},
    Property{"subject", "keywords"},
    Property{"description", "description"},
    Property{"publisher", "publisher"},
    Property{"date", "datePublished"},
    Property{"type", "additionalType"},
    Property{"format", "encodingFormat"},
    Property{"language", "inLanguage"},
    Property{"identifier", "identifier"},
    Property{"rights", "copyrightNotice"},
    Property{"source", "isBasedOn"},
    Property{"coverage", "spatialCoverage"},
};

void escape_markup(std::string& json) {
    for (const auto& [character, escaped] :
         {std::pair('<', "\\u003c"), std::pair('>', "\\u003e"), std::pair('&', "\\u0026")})
        for (std::size_t at = 0; (at = json.find(character, at)) != std::string::npos;)
            json.replace(at, 1, escaped);
}

}  // namespace

std::string json_ld(const xmlNode* dc, const JsonLdFacts& facts) {
    nlohmann::json thing{
        {"@context", "https://schema.org"},
        {"@type", "CreativeWork"},
        {"@id", facts.url},
        {"url", facts.url},
        {"identifier", {facts.identifier}},
        {"includedInDataCatalog", {{"@type", "DataCatalog"}, {"name", facts.catalogue}}}};
    for (const xmlNode* n = dc->children; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE) continue;
        const std::string_view name = reinterpret_cast<const char*>(n->name);
        const auto known = std::find_if(kProperties.begin(), kProperties.end(),
                                        [&](const Property& p) { return p.element == name; });
        const xml::StringHandle text(xmlNodeGetContent(n));
        if (known == kProperties.end() || !text || *text == '\0') continue;
        thing[known->name].push_back(reinterpret_cast<const char*>(text.get()));
    }
    std::string json = thing.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    escape_markup(json);
    return json;
}

}  // namespace oai
