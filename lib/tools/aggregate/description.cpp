// SPDX-License-Identifier: MIT
// What a harvested record becomes: an item, and where it comes from.
#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "protocol/record.h"
#include "tools/aggregate/database_sink.h"
#include "tools/harvest/file_sink.h"
#include "tools/load/items.h"
#include "tools/validate/answer.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/push_parser.h"
#include "xml/serialiser.h"

namespace oai::aggregate {
namespace {

using harvest::append_element;
using load::Element;

constexpr std::string_view kElementsNamespace = "http://purl.org/dc/elements/1.1/";

// Attributes other than xml:lang would be lost.
bool has_own_attributes(const xmlNode* element) {
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        if (a->ns == nullptr || !xmlStrEqual(a->ns->href, XML_XML_NAMESPACE)) return true;
    return false;
}

// One of the fifteen elements, with a text and nothing else.
bool is_simple(const xmlNode* element) {
    return xml::namespace_of(element) == kElementsNamespace && xml::child_of(element) == nullptr &&
           !has_own_attributes(element) && !xml::text_of(element).empty();
}

// Whether every element became a value, with its language; none was left out or repeated another.
bool is_whole(const xmlNode* root, const load::Item& item) {
    std::size_t elements = 0, languages = 0, values = 0, kept_languages = 0;
    for (const xmlNode* n : xml::children_of(root)) {
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

// A base URL as it is compared: however its scheme, its host and its end are written.
std::string place_of(const std::string& url) {
    const std::string bare = public_url(url);
    const auto host = bare.find("://") + 3, path = std::min(bare.find('/', host), bare.size());
    if (bare.empty()) return "";
    std::string place = text::lower_ascii(bare.substr(host, path - host)) + bare.substr(path);
    while (place.ends_with('/')) place.pop_back();
    return place;
}

// Looks at each <originDescription> below, wherever it stands: what is not valid may be ours, too.
void follow(const xmlNode* parent, int depth, const std::string& our_url,
            const std::string& our_prefix, KnownOrigin& known, std::string& fault) {
    for (const xmlNode* n : xml::children_of(parent)) {
        const bool is_origin = xml::name_of(n) == "originDescription";
        follow(n, depth + (is_origin ? 1 : 0), our_url, our_prefix, known, fault);
        if (!is_origin) continue;
        const std::string url = xml::child_text(n, "baseURL");
        known.depth = std::max(known.depth, depth + 1);
        known.ours |= text::lower_ascii(xml::child_text(n, "identifier")).starts_with(our_prefix) ||
                      (!our_url.empty() && place_of(url) == our_url);
        if (!load::is_url(url)) fault = "its baseURL is none of http or https";
    }
}

// For one stylesheet over one record, which usually takes some 0.1 ms.
constexpr std::chrono::milliseconds kTimeout{1000};

std::string text_of(const xmlDoc* document) {
    std::string out;
    xml::append_node(out, xmlDocGetRootElement(document));
    return out;
}

bool is_oai_dc(const xmlDoc* document) {
    return xmlDocGetRootElement(document) != nullptr &&
           xml::root_namespace(document) == validate::kDublinCore;
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

OriginFinder::OriginFinder(const std::string& our_url, const std::string& our_prefix)
    : our_url_(place_of(our_url)),
      our_prefix_(text::lower_ascii(our_prefix)),
      grammar_(validate::containers_grammar, "provenance") {}

KnownOrigin OriginFinder::find(std::span<const std::string> abouts) const {
    KnownOrigin known;
    for (const std::string& about : abouts) {
        if (about.find(kProvenance) == about.npos) continue;
        try {
            const xml::DocumentHandle document = xml::parse_memory(about, "about");
            const xmlNode* const root = xmlDocGetRootElement(document.get());
            if (xml::namespace_of(root) != kProvenance) continue;
            std::string fault;
            follow(root, 0, our_url_, our_prefix_, known, fault);
            if (fault.empty()) fault = grammar_.why_invalid(document.get());
            if (!fault.empty())
                known.fault = fault;
            else if (known.description.empty())
                known.description = xml::document_text(xml::child_of(root));
        } catch (const xml::Error& e) {
            known.fault = e.what();
        }
    }
    return known;
}

std::string origin_description(const Origin& origin, std::string_view before) {
    const std::string datestamp = harvest::date_text(origin.datestamp),
                      date = harvest::date_text(origin.harvest_date);
    if (datestamp.empty() || date.empty()) return "";
    std::string out = "<originDescription xmlns=\"";
    out.append(kProvenance).append("\" harvestDate=\"").append(date);
    out.append("\" altered=\"").append(origin.altered ? "true" : "false").append("\">");
    append_element(out, "baseURL", origin.base_url);
    append_element(out, "identifier", origin.identifier);
    append_element(out, "datestamp", datestamp);
    append_element(out, "metadataNamespace", origin.metadata_namespace);
    return out.append(before).append("</originDescription>");
}

Normaliser::Normaliser(const std::string& directory, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const std::string file = directory + "/" + name + ".xsl";
        if (name.find('/') != name.npos || !std::filesystem::exists(file))
            throw std::runtime_error(directory + ": there is no " + name +
                                     ".xsl to normalise with");
        stylesheets_.push_back(transform::Stylesheet::compile(file));
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

}  // namespace oai::aggregate
