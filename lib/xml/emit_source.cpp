// SPDX-License-Identifier: MIT
#include "xml/emit_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace oai::xml {

void refuse(const xmlNode* node, std::string what) { throw Refusal{xmlGetLineNo(node), std::move(what)}; }

std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

bool is_xslt(const xmlNode* node) { return node->ns != nullptr && xmlStrEqual(node->ns->href, XSLT_NAMESPACE); }

std::string qualified(const xmlNs* ns, const xmlChar* name) {
    return ns == nullptr || ns->prefix == nullptr ? std::string(view(name))
                                                  : fmt::format("{}:{}", view(ns->prefix), view(name));
}

std::string attribute(const xmlNode* node, const char* name) {
    const xmlAttr* found = xmlHasNsProp(node, reinterpret_cast<const xmlChar*>(name), nullptr);
    if (found == nullptr) refuse(node, fmt::format("{} without {}", view(node->name), name));
    return found->children == nullptr ? std::string() : std::string(view(found->children->content));
}

void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names) {
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const bool known = a->ns == nullptr && std::find(names.begin(), names.end(), view(a->name)) != names.end();
        const bool space = a->ns != nullptr && view(a->ns->prefix) == "xml";  // libxslt has heeded it already
        if (!known && !space) refuse(node, fmt::format("{} of xsl:{}", qualified(a->ns, a->name), view(node->name)));
    }
}

namespace {

// What changes how the result would be written. (This program writes it itself in any case.)
void check_output(const xmlNode* output) {
    allow_attributes(output, {"method", "version", "encoding", "omit-xml-declaration", "standalone", "media-type", "indent"});
    static constexpr std::array<std::array<std::string_view, 3>, 3> kAllowed = {{
        {"method", "xml", "xml"}, {"encoding", "UTF-8", "utf-8"}, {"indent", "no", "no"},
    }};
    for (const auto& [name, value, other] : kAllowed) {
        if (xmlHasNsProp(output, reinterpret_cast<const xmlChar*>(name.data()), nullptr) == nullptr) continue;
        const std::string given = attribute(output, name.data());
        if (given != value && given != other) refuse(output, fmt::format("xsl:output {}=\"{}\"", name, given));
    }
}

// What is imported is for branches that are left to libxslt. It must not reach what is compiled.
void check_imported(const xsltStylesheet* sheet, const xmlNode* importer) {
    for (const xsltStylesheet* imported = sheet->imports; imported != nullptr; imported = imported->next) {
        const xmlNode* const root = xmlDocGetRootElement(imported->doc);
        for (const xmlNode* node = root->children; node != nullptr; node = node->next) {
            if (node->type != XML_ELEMENT_NODE || !is_xslt(node)) continue;
            const std::string_view name = view(node->name);
            const bool harmless = name == "variable" || name == "param" || name == "import";
            const bool by_name = name == "template" && !xmlHasNsProp(node, reinterpret_cast<const xmlChar*>("match"), nullptr);
            if (!harmless && !by_name) refuse(importer, fmt::format("xsl:{} imported from {}", name, view(imported->doc->URL)));
        }
        check_imported(imported, importer);
    }
}

void check_top_level(const Stylesheet& stylesheet) {
    const xmlNode* sheet = xmlDocGetRootElement(stylesheet.document());
    if (!is_xslt(sheet)) refuse(sheet, "a stylesheet that is a literal element");
    allow_attributes(sheet, {"version", "exclude-result-prefixes"});
    if (attribute(sheet, "version") != "1.0") refuse(sheet, "a version other than 1.0");
    for (const xmlNode* node = sheet->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || !is_xslt(node)) continue;
        const std::string_view name = view(node->name);
        if (name == "output") {
            check_output(node);
        } else if (name != "template" && name != "import") {
            refuse(node, fmt::format("xsl:{} at the top", name));
        }
    }
    check_imported(stylesheet.handle(), sheet);
}

}  // namespace

const xmlNode* record_template(const Stylesheet& stylesheet) {
    check_top_level(stylesheet);
    const xsltTemplate* found = stylesheet.handle()->templates;
    const xmlNode* sheet = xmlDocGetRootElement(stylesheet.document());
    if (found == nullptr) refuse(sheet, "a stylesheet without templates");
    if (found->next != nullptr) refuse(found->next->elem, "a second xsl:template");
    allow_attributes(found->elem, {"match"});
    if (view(found->match) != "record") refuse(found->elem, fmt::format("match=\"{}\"", view(found->match)));
    return found->elem;
}

const xmlNode* only_element(const xmlNode* parent) {
    const xmlNode* found = nullptr;
    for (const xmlNode* node = parent->children; node != nullptr; node = node->next) {
        if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) continue;
        if (found != nullptr || node->type != XML_ELEMENT_NODE) refuse(node, "something other than one element for a record");
        found = node;
    }
    if (found == nullptr) refuse(parent, "no element for a record");
    return found;
}

}  // namespace oai::xml
