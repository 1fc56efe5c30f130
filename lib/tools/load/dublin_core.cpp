// SPDX-License-Identifier: MIT
#include "tools/load/dublin_core.h"

#include <string_view>

#include "xml/push_parser.h"

namespace oai::load {
namespace {

constexpr std::string_view kElementsNamespace = "http://purl.org/dc/elements/1.1/";
constexpr std::string_view kTermsNamespace = "http://purl.org/dc/terms/";

struct Refinement {
    std::string_view term;
    Element element;
};
constexpr Refinement kRefinements[] = {
    {"abstract", Element::description},
    {"accessRights", Element::rights},
    {"alternative", Element::title},
    {"available", Element::date},
    {"bibliographicCitation", Element::identifier},
    {"created", Element::date},
    {"dateAccepted", Element::date},
    {"dateSubmitted", Element::date},
    {"extent", Element::format},
    {"hasPart", Element::relation},
    {"hasVersion", Element::relation},
    {"isFormatOf", Element::relation},
    {"isPartOf", Element::relation},
    {"isReferencedBy", Element::relation},
    {"isReplacedBy", Element::relation},
    {"isVersionOf", Element::relation},
    {"issued", Element::date},
    {"license", Element::rights},
    {"medium", Element::format},
    {"modified", Element::date},
    {"references", Element::relation},
    {"rightsHolder", Element::rights},
    {"spatial", Element::coverage},
    {"tableOfContents", Element::description},
    {"temporal", Element::coverage},
};

std::optional<Element> element_named(std::string_view name) {
    for (std::size_t i = 0; i < kElements; ++i)
        if (kElementNames[i].name == name) return static_cast<Element>(i);
    return std::nullopt;
}

std::optional<Element> element_of(const xmlNode* node) {
    const std::string_view ns = xml::namespace_of(node);
    if (ns != kElementsNamespace && ns != kTermsNamespace) return std::nullopt;
    if (const auto element = element_named(xml::name_of(node))) return element;
    for (const Refinement& r : kRefinements)
        if (ns == kTermsNamespace && r.term == xml::name_of(node)) return r.element;
    return std::nullopt;
}

// A value of MODS: by the path of local names below <mods>.
struct ModsRule {
    std::string_view parent, child;  // child "": the parent itself
    Element element;
};
constexpr ModsRule kModsRules[] = {
    {"titleInfo", "title", Element::title},
    {"name", "namePart", Element::creator},
    {"subject", "topic", Element::subject},
    {"subject", "geographic", Element::coverage},
    {"subject", "temporal", Element::coverage},
    {"abstract", "", Element::description},
    {"note", "", Element::description},
    {"originInfo", "publisher", Element::publisher},
    {"originInfo", "dateIssued", Element::date},
    {"originInfo", "dateCreated", Element::date},
    {"genre", "", Element::type},
    {"typeOfResource", "", Element::type},
    {"physicalDescription", "internetMediaType", Element::format},
    {"identifier", "", Element::identifier},
    {"location", "url", Element::identifier},
    {"language", "languageTerm", Element::language},
    {"accessCondition", "", Element::rights},
};

}  // namespace

int read_dublin_core(const xmlNode* parent, Item& item) {
    int count = 0;
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        const auto element = element_of(n);
        if (!element) continue;
        ++count;
        const bool has_language = kElementNames[static_cast<std::size_t>(*element)].has_language;
        item.add(*element, xml::text_of(n), has_language ? xml::language_of(n) : "");
    }
    return count;
}

void read_mods(const xmlNode* mods, Item& item) {
    for (const xmlNode* n = mods->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        for (const ModsRule& rule : kModsRules) {
            if (rule.parent != xml::name_of(n)) continue;
            if (rule.child.empty()) item.add(rule.element, xml::text_of(n));
            for (const xmlNode* c = n->children; c != nullptr && !rule.child.empty(); c = c->next)
                if (xml::is_element(c) && xml::name_of(c) == rule.child)
                    item.add(rule.element, xml::text_of(c));
        }
    }
    item.mods = xml::document_text(mods, kModsNamespace);
}

}  // namespace oai::load
