// SPDX-License-Identifier: MIT
#include "tools/aggregate/provenance.h"

#include "protocol/datestamp.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/push_parser.h"

namespace oai::aggregate {
namespace {

constexpr std::string_view kProvenance = "http://www.openarchives.org/OAI/2.0/provenance";

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::namespace_of(n) == kProvenance && xml::name_of(n) == name)
            return n;
    return nullptr;
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
    out.append("<").append(name).append(">");
    xml::append_text(out, text);
    out.append("</").append(name).append(">");
}

}  // namespace

std::string find_origin(std::span<const std::string> abouts) {
    for (const std::string& about : abouts) {
        if (about.find(kProvenance) == about.npos) continue;
        try {
            const xml::DocumentHandle document = xml::parse_memory(about, "about");
            const xmlNode* root = xmlDocGetRootElement(document.get());
            if (xml::namespace_of(root) != kProvenance || xml::name_of(root) != "provenance")
                continue;
            if (const xmlNode* origin = child(root, "originDescription"))
                return xml::document_text(origin);
        } catch (const xml::Error&) {  // nothing of it could be passed on
        }
    }
    return "";
}

std::string origin_description(const Origin& origin, std::string_view before) {
    if (!parse_datestamp(origin.datestamp) || !parse_datestamp(origin.harvest_date)) return "";
    std::string out = "<originDescription xmlns=\"";
    out.append(kProvenance).append("\" harvestDate=\"").append(origin.harvest_date);
    out.append("\" altered=\"").append(origin.altered ? "true" : "false").append("\">");
    append_element(out, "baseURL", origin.base_url);
    append_element(out, "identifier", origin.identifier);
    append_element(out, "datestamp", origin.datestamp);
    append_element(out, "metadataNamespace", origin.metadata_namespace);
    return out.append(before).append("</originDescription>");
}

}  // namespace oai::aggregate
