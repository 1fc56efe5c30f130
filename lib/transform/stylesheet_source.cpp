// SPDX-License-Identifier: MIT
#include "transform/stylesheet_source.h"

#include <fmt/format.h>
#include <libxslt/imports.h>

#include <algorithm>
#include <array>

namespace oai::transform {

void refuse(const xmlNode* node, const std::string& what) { throw Unsupported(node, what); }

bool is_xslt(const xmlNode* node) {
    return node->ns != nullptr && xmlStrEqual(node->ns->href, XSLT_NAMESPACE);
}

bool is_ignored(const xmlNode* node) {
    return node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE;
}

bool is_instruction(const xmlNode* node, std::string_view name) {
    return node->type == XML_ELEMENT_NODE && is_xslt(node) && view(node->name) == name;
}

std::string qualified(const xmlNs* ns, const xmlChar* name) {
    return ns == nullptr || ns->prefix == nullptr
               ? std::string(view(name))
               : fmt::format("{}:{}", view(ns->prefix), view(name));
}

bool has_attribute(const xmlNode* node, const char* name) {
    return xmlHasNsProp(node, reinterpret_cast<const xmlChar*>(name), nullptr) != nullptr;
}

std::string attribute(const xmlNode* node, const char* name) {
    const xmlAttr* found = xmlHasNsProp(node, reinterpret_cast<const xmlChar*>(name), nullptr);
    if (found == nullptr) refuse(node, fmt::format("{} without {}", view(node->name), name));
    return found->children == nullptr ? std::string() : std::string(view(found->children->content));
}

void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names) {
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const bool known =
            a->ns == nullptr && std::find(names.begin(), names.end(), view(a->name)) != names.end();
        const bool space =
            a->ns != nullptr && view(a->ns->prefix) == "xml";  // libxslt has heeded it already
        if (!known && !space)
            refuse(node, fmt::format("{} of xsl:{}", qualified(a->ns, a->name), view(node->name)));
    }
}

namespace {

// Rejects attributes that change the serialisation, except for indent, which is ignored.
void check_output(const xmlNode* output) {
    static constexpr std::array<std::string_view, 3> kFixed = {"method=xml", "encoding=UTF-8",
                                                               "encoding=utf-8"};
    static constexpr std::array<std::string_view, 5> kHarmless = {
        "version", "omit-xml-declaration", "standalone", "media-type", "indent"};
    for (const xmlAttr* a = output->properties; a != nullptr; a = a->next) {
        const std::string name = qualified(a->ns, a->name), value = attribute(output, name.c_str());
        const std::string given = fmt::format("{}={}", name, value);
        if (std::find(kFixed.begin(), kFixed.end(), given) == kFixed.end() &&
            std::find(kHarmless.begin(), kHarmless.end(), name) == kHarmless.end())
            refuse(output, fmt::format("xsl:output {}=\"{}\"", name, value));
    }
}

// Rejects templates other than named ones and those that match records, since others could apply to
// nodes around the records.
void check_template(const xmlNode* node) {
    if (!has_attribute(node, "match")) return;
    allow_attributes(node, {"match"});
    if (const std::string match = attribute(node, "match"); match != "record")
        refuse(node, fmt::format("match=\"{}\"", match));
}

void check_top_level(const xsltStylesheet* sheet, bool is_imported) {
    const xmlNode* const root = xmlDocGetRootElement(sheet->doc);
    for (const xmlNode* node = root->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || !is_xslt(node)) continue;
        const std::string_view name = view(node->name);
        if (name == "output")
            check_output(node);
        else if (name == "template")
            check_template(node);
        else if (name != "import" && !(is_imported && (name == "variable" || name == "param")))
            refuse(node, fmt::format("xsl:{} at the top", name));
    }
    for (const xsltStylesheet* imported = sheet->imports; imported != nullptr;
         imported = imported->next)
        check_top_level(imported, true);
}

const xsltTemplate* record_template_of(const xsltStylesheet* sheet) {
    const xsltTemplate* found = nullptr;
    for (const xsltTemplate* t = sheet->templates; t != nullptr; t = t->next) {
        if (t->match == nullptr) continue;
        if (found != nullptr) refuse(t->elem, "a second xsl:template");
        found = t;
    }
    return found;
}

}  // namespace

const xsltTemplate* record_template(const Stylesheet& stylesheet) {
    const xmlNode* const root = xmlDocGetRootElement(stylesheet.document());
    if (!is_xslt(root)) refuse(root, "a stylesheet that is a literal element");
    allow_attributes(root, {"version", "exclude-result-prefixes"});
    if (attribute(root, "version") != "1.0") refuse(root, "a version other than 1.0");
    check_top_level(stylesheet.handle(), false);
    const xsltTemplate* const found = record_template_of(stylesheet.handle());
    if (found == nullptr) refuse(root, "a stylesheet without a template for records");
    return found;
}

const xsltTemplate* imported_record_template(const xsltStylesheet* style) {
    const xsltTemplate* found = nullptr;
    auto* next = const_cast<xsltStylesheet*>(style);
    while (found == nullptr && (next = xsltNextImport(next)) != nullptr)
        found = record_template_of(next);
    return found;
}

// Both are looked for in the order of import precedence.
const xsltTemplate* named_template(const xsltStylesheet* style, const std::string& name) {
    for (auto* s = const_cast<xsltStylesheet*>(style); s != nullptr; s = xsltNextImport(s))
        for (const xsltTemplate* t = s->templates; t != nullptr; t = t->next)
            if (t->name != nullptr && t->nameURI == nullptr && view(t->name) == name) return t;
    return nullptr;
}

const xmlNode* global_variable(const xsltStylesheet* style, const std::string& name) {
    for (auto* s = const_cast<xsltStylesheet*>(style); s != nullptr; s = xsltNextImport(s))
        for (const xmlNode* n = xmlDocGetRootElement(s->doc)->children; n != nullptr; n = n->next)
            if ((is_instruction(n, "variable") || is_instruction(n, "param")) &&
                attribute(n, "name") == name)
                return n;
    return nullptr;
}

const xmlNode* only_element(const xmlNode* parent) {
    const xmlNode* found = nullptr;
    for (const xmlNode* node = parent->children; node != nullptr; node = node->next) {
        if (is_ignored(node)) continue;
        if (found != nullptr || node->type != XML_ELEMENT_NODE)
            refuse(node, "something other than one element for a record");
        found = node;
    }
    if (found == nullptr) refuse(parent, "no element for a record");
    return found;
}

}  // namespace oai::transform
