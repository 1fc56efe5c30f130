// SPDX-License-Identifier: MIT
// What a harvested record becomes: an item, and where it comes from.
#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "protocol/record.h"
#include "tools/aggregate/database_sink.h"
#include "tools/load/items.h"
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

constexpr std::string_view kProvenance = "http://www.openarchives.org/OAI/2.0/provenance";

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::namespace_of(n) == kProvenance && xml::name_of(n) == name)
            return n;
    return nullptr;
}

std::string text_in(const xmlNode* parent, std::string_view name) {
    const xmlNode* const found = child(parent, name);
    return found == nullptr ? "" : xml::text_of(found);
}

// Printable ASCII without blanks, as a URI is.
bool is_uri(std::string_view text) {
    return !text.empty() &&
           std::all_of(
               text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// What the schema of provenance does not allow in an <originDescription>; "" nothing.
std::string fault_of(const xmlNode* origin) {
    constexpr std::string_view kChildren[] = {"baseURL", "identifier", "datestamp",
                                              "metadataNamespace", "originDescription"};
    std::size_t n = 0;
    for (const xmlNode* c = origin->children; c != nullptr; c = c->next) {
        if (!xml::is_element(c)) continue;
        const std::string name(xml::name_of(c));
        if (n == 5 || name != kChildren[n++]) return name + " is not where the schema has it";
    }
    if (n < 4) return "it has no " + std::string(kChildren[n]);
    if (!load::is_url(text_in(origin, "baseURL"))) return "its baseURL is none";
    if (!is_uri(text_in(origin, "identifier"))) return "its identifier is no URI";
    if (!is_uri(text_in(origin, "metadataNamespace"))) return "its metadataNamespace is no URI";
    const std::string altered = xml::attribute_of(origin, "altered");
    if (altered != "true" && altered != "false" && altered != "1" && altered != "0")
        return "its attribute altered is neither true nor false";
    return parse_datestamp(text_in(origin, "datestamp")) &&
                   parse_datestamp(xml::attribute_of(origin, "harvestDate"))
               ? ""
               : "its dates are none";
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
    out.append("<").append(name).append(">");
    xml::append_text(out, text);
    out.append("</").append(name).append(">");
}

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

std::string our_local_id(const Source& source, std::string_view identifier) {
    return load::local_id_of(std::string(source.label).append("/").append(identifier));
}

std::string their_local_id(std::string_view identifier) {
    return load::local_id_from_elsewhere(identifier);
}

std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs) {
    std::vector<std::string> names;
    for (const std::string& spec : set_specs) {
        const std::string path = load::set_path(spec);
        const std::string name = source.label + ":" + path;
        if (!path.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    if (names.empty()) names.push_back(source.label);
    return names;
}

bool describe(const xmlDoc* oai_dc, load::Item& item) {
    const xmlNode* root = xmlDocGetRootElement(oai_dc);
    load::read_dublin_core(root, item);
    load::complete(item);
    return is_whole(root, item) && keeps_identifiers(item);
}

KnownOrigin find_origin(std::span<const std::string> abouts, const std::string& our_url,
                        const std::string& our_prefix) {
    KnownOrigin known;
    for (const std::string& about : abouts) {
        if (about.find(kProvenance) == about.npos) continue;
        try {
            const xml::DocumentHandle document = xml::parse_memory(about, "about");
            const xmlNode* root = xmlDocGetRootElement(document.get());
            if (xml::namespace_of(root) != kProvenance || xml::name_of(root) != "provenance")
                continue;
            const xmlNode* const first = child(root, "originDescription");
            std::string fault = first == nullptr ? "it has no originDescription" : "";
            int depth = 0;
            for (const xmlNode* o = first; o != nullptr; o = child(o, "originDescription")) {
                known.depth = std::max(known.depth, ++depth);
                known.ours |= text_in(o, "identifier").starts_with(our_prefix) ||
                              (!our_url.empty() && text_in(o, "baseURL") == our_url);
                if (fault.empty()) fault = fault_of(o);
            }
            if (!fault.empty())
                known.fault = fault;
            else if (known.description.empty())
                known.description = xml::document_text(first);
        } catch (const xml::Error& e) {
            known.fault = e.what();
        }
    }
    return known;
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
