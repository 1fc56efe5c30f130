// SPDX-License-Identifier: MIT
#include "page/catalogue.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "xml/document.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

std::string attribute_of(const xmlNode* element, const char* name) {
    const xml::StringHandle value(xmlGetNoNsProp(element, reinterpret_cast<const xmlChar*>(name)));
    return value ? reinterpret_cast<const char*>(value.get()) : "";
}

bool is_text(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && std::string_view(reinterpret_cast<const char*>(node->name)) == "t";
}

// Copies of what `first` has and the language has not.
void complete(xmlNode* texts, xmlNode* first) {
    std::set<std::string> known;
    for (const xmlNode* n = texts->children; n != nullptr; n = n->next)
        if (is_text(n)) known.insert(attribute_of(n, "id"));
    for (xmlNode* n = first->children; n != nullptr; n = n->next)
        if (is_text(n) && !known.contains(attribute_of(n, "id"))) xmlAddChild(texts, xmlDocCopyNode(n, texts->doc, 1));
}

xml::DocumentHandle read_texts(const std::string& path) {
    xml::DocumentHandle document = xml::parse_file(path);
    if (xml::root_name(document.get()) != "texts") throw xml::Error(path + ":1: not <texts>");
    return document;
}

// Thousandths; what is no weight counts as 0. RFC 9110, 12.4.2.
int weight_of(std::string_view parameters) {
    const std::size_t at = parameters.find("q=");
    if (at == std::string_view::npos) return 1000;
    std::string digits(text::trim(parameters.substr(at + 2)));
    if (digits.size() > 1 && digits[1] == '.') digits.erase(1, 1);
    if (digits.empty() || digits.size() > 4) return 0;
    digits.resize(4, '0');
    const auto weight = text::to_integer(digits);
    return weight && *weight >= 0 && *weight <= 1000 ? static_cast<int>(*weight) : 0;
}

}  // namespace

Catalogue::Catalogue(const std::string& directory, std::string_view languages) {
    xml::DocumentHandle first;
    for (const std::string_view tag : text::split(languages, ' ')) {
        xml::DocumentHandle document = read_texts(directory + "/text/" + std::string(tag) + ".xml");
        xmlNode* texts = xmlDocGetRootElement(document.get());
        if (first) complete(texts, xmlDocGetRootElement(first.get()));
        Language language{.tag = std::string(tag), .name = attribute_of(texts, "name"), .texts = {}};
        xml::append_node(language.texts, texts);
        languages_.push_back(std::move(language));
        if (!first) first = std::move(document);
    }
}

const Language* Catalogue::find(std::string_view tag) const {
    const auto found = std::find_if(languages_.begin(), languages_.end(), [&](const Language& l) { return l.tag == tag; });
    return found == languages_.end() ? nullptr : &*found;
}

const Language& Catalogue::choose(std::string_view accept_language) const {
    const Language* best = &languages_.front();
    int best_weight = 0;
    for (const std::string_view element : text::split(accept_language, ',')) {
        const std::size_t semicolon = std::min(element.find(';'), element.size());
        const int weight = weight_of(element.substr(semicolon));
        if (weight <= best_weight) continue;
        std::string range = text::lower_ascii(text::trim(element.substr(0, semicolon)));
        while (!range.empty() && find(range) == nullptr) range.resize(range.find('-') == std::string::npos ? 0 : range.rfind('-'));
        if (range.empty()) continue;
        best = find(range);
        best_weight = weight;
    }
    return *best;
}

}  // namespace oai
