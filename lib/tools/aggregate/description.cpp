// SPDX-License-Identifier: MIT
#include "tools/aggregate/description.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "protocol/record.h"
#include "tools/load/marc.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/push_parser.h"
#include "xml/serialiser.h"

namespace oai::aggregate {
namespace {

using load::Element;

constexpr std::string_view kElementsNamespace = "http://purl.org/dc/elements/1.1/";

bool has_elements(const xmlNode* node) {
    for (const xmlNode* n = node->children; n != nullptr; n = n->next)
        if (xml::is_element(n)) return true;
    return false;
}

// Attributes other than xml:lang would be lost.
bool has_own_attributes(const xmlNode* element) {
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        if (a->ns == nullptr || !xmlStrEqual(a->ns->href, XML_XML_NAMESPACE)) return true;
    return false;
}

// One of the fifteen elements, with a text and nothing else.
bool is_simple(const xmlNode* element) {
    return xml::namespace_of(element) == kElementsNamespace && !has_elements(element) &&
           !has_own_attributes(element) && !xml::text_of(element).empty();
}

// Whether every element became a value, with its language; none was left out or repeated another.
bool is_whole(const xmlNode* root, const load::Item& item) {
    std::size_t elements = 0, languages = 0, values = 0, kept_languages = 0;
    for (const xmlNode* n = root->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        if (!is_simple(n)) return false;
        ++elements;
        if (!xml::language_of(n).empty()) ++languages;
    }
    for (const auto& list : item.elements) {
        values += list.size();
        kept_languages += static_cast<std::size_t>(std::count_if(
            list.begin(), list.end(), [](const load::Value& v) { return !v.language.empty(); }));
    }
    return elements == values && languages == kept_languages;
}

// The values of dc:identifier as xslt/library/oai_dc.xsl writes them.
std::multiset<std::string> served_identifiers(const load::Item& item) {
    std::multiset<std::string> out;
    if (!item.landing_page.empty()) out.insert(item.landing_page);
    if (!item.doi.empty()) out.insert("https://doi.org/" + item.doi);
    if (!item.urn.empty()) out.insert(item.urn);
    for (const load::Value& value : item[Element::identifier]) {
        const bool again = value.text == item.landing_page || value.text == item.urn ||
                           (!item.doi.empty() && value.text.find(item.doi) != std::string::npos);
        if (!again) out.insert(value.text);
    }
    return out;
}

bool keeps_identifiers(const load::Item& item) {
    std::multiset<std::string> given;
    for (const load::Value& value : item[Element::identifier]) given.insert(value.text);
    return !given.empty() && given == served_identifiers(item);
}

}  // namespace

std::string our_local_id(const Source& source, std::string_view identifier) {
    return load::local_id_of(std::string(source.name).append("/").append(identifier));
}

std::string their_local_id(std::string_view identifier) {
    return load::local_id_from_elsewhere(identifier);
}

std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs) {
    std::vector<std::string> names;
    for (const std::string& spec : set_specs) {
        const std::string path = load::set_path(spec);
        const std::string name = source.name + ":" + path;
        if (!path.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    if (names.empty()) names.push_back(source.name);
    return names;
}

std::vector<std::string> with_ancestors(const std::vector<std::string>& collections) {
    std::set<std::string> all;
    for (const std::string& name : collections)
        for (auto at = name.find(':');; at = name.find(':', at + 1)) {
            all.insert(name.substr(0, at));
            if (at == name.npos) break;
        }
    return {all.begin(), all.end()};
}

bool describe(const xmlDoc* oai_dc, load::Item& item) {
    const xmlNode* root = xmlDocGetRootElement(oai_dc);
    load::read_dublin_core(root, item);
    load::complete(item);
    return is_whole(root, item) && keeps_identifiers(item);
}

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

namespace {

// For one stylesheet over one record, which usually takes some 0.1 ms.
constexpr std::chrono::milliseconds kTimeout{1000};
constexpr const char* kDublinCore = "http://www.openarchives.org/OAI/2.0/oai_dc/";

std::string text_of(const xmlDoc* document) {
    std::string out;
    xml::append_node(out, xmlDocGetRootElement(document));
    return out;
}

bool is_oai_dc(const xmlDoc* document) {
    return xmlDocGetRootElement(document) != nullptr &&
           xml::root_namespace(document) == kDublinCore;
}

}  // namespace

Normaliser::Normaliser(const std::string& directory, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto known = names_in(directory);
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw std::runtime_error(directory + ": there is no " + name +
                                     ".xsl to normalise with");
        stylesheets_.push_back(transform::Stylesheet::compile(directory + "/" + name + ".xsl"));
    }
}

Normaliser::NormalisedRecord Normaliser::normalise(xml::DocumentHandle oai_dc) const {
    if (stylesheets_.empty()) return {std::move(oai_dc), false};
    const std::string before = text_of(oai_dc.get());
    for (const transform::Stylesheet& stylesheet : stylesheets_) {
        oai_dc = stylesheet.apply(oai_dc.get(), kTimeout);
        if (!is_oai_dc(oai_dc.get()))
            throw xml::Error(stylesheet.path() + ": makes something else than oai_dc");
    }
    const bool altered = text_of(oai_dc.get()) != before;
    return {std::move(oai_dc), altered};
}

std::vector<std::string> Normaliser::names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (entry.path().extension() == ".xsl") names.push_back(entry.path().stem().string());
    if (error) throw std::runtime_error(directory + ": " + error.message());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace oai::aggregate
