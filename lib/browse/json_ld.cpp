// SPDX-License-Identifier: MIT
#include "browse/json_ld.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "xml/handle.h"
#include "xml/view.h"

namespace oai {
namespace {

// Elements that schema.org has no property for are left out.
constexpr std::pair<std::string_view, const char*> kProperties[] = {
    {"title", "name"},          {"creator", "creator"},          {"contributor", "contributor"},
    {"subject", "keywords"},    {"description", "description"},  {"publisher", "publisher"},
    {"date", "datePublished"},  {"type", "additionalType"},      {"format", "encodingFormat"},
    {"language", "inLanguage"}, {"identifier", "identifier"},    {"rights", "copyrightNotice"},
    {"source", "isBasedOn"},    {"coverage", "spatialCoverage"},
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
        const xml::StringHandle text(xmlNodeGetContent(n));
        if (!text || *text == '\0') continue;
        for (const auto& [element, property] : kProperties)
            if (xml::view(n->name) == element) thing[property].push_back(xml::view(text.get()));
    }
    std::string json = thing.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    escape_markup(json);
    return json;
}

}  // namespace oai
