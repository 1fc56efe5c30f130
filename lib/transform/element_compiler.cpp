// SPDX-License-Identifier: MIT
// Comments name the function of libxslt whose outcome is foreseen.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "transform/content_compiler.h"
#include "xml/escape.h"

namespace oai::transform {
namespace {

bool always_writes(const Operations& operations) {
    return std::any_of(
        operations.begin(), operations.end(),
        [](const Operation& o) {
            return std::holds_alternative<Text>(o.node) || std::holds_alternative<Element>(o.node);
        });
}

// An xsl:attribute, or one within xsl:if.
bool makes_attributes(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && is_xslt(node) &&
           (view(node->name) == "attribute" ||
            (view(node->name) == "if" && node->children != nullptr &&
             node->children->next == nullptr && makes_attributes(node->children)));
}

void add_all(Operations from, Operations& out) {
    for (Operation& o : from)
        if (auto* text = std::get_if<Text>(&o.node))
            add_text(std::move(text->text), out);
        else
            out.push_back(std::move(o));
}

}  // namespace

// xsltShallowCopyElem, then (at the top of a template) the namespaces of the template, then
// xsltAttrListTemplateProcess.
void Compiler::add_literal_element(const xmlNode* node, const Place& place, Operations& out) {
    StartTag start(place.element);
    for (const xmlNs* ns = node->nsDef; ns != nullptr; ns = ns->next) {
        if (view(ns->href).empty()) refuse(node, "xmlns=\"\"");
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        const bool redundant = known != nullptr && known->uri == view(ns->href);
        if (!redundant && !xmlStrEqual(ns->href, XSLT_NAMESPACE))
            start.declare(view(ns->prefix), view(ns->href));
    }
    start.acquire_own(node, node->ns);
    for (int i = 0; place.is_template_top && i < place.rule->inheritedNsNr; ++i) {
        const xmlNs* ns = place.rule->inheritedNs[i];
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        if (known != nullptr && known->uri != view(ns->href))
            refuse(node, "a prefix that is declared twice");
        if (known == nullptr) start.declare(view(ns->prefix), view(ns->href));
    }
    Operations attributes;
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next)
        add_literal_attribute(a, start, place, attributes);
    finish_element(node, qualified(node->ns, node->name), start, std::move(attributes), place, out);
}

void Compiler::add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place,
                                     Operations& out) {
    const xmlNode* element = attribute->parent;
    const std::string name = qualified(attribute->ns, attribute->name);
    if (attribute->ns != nullptr && xmlStrEqual(attribute->ns->href, XSLT_NAMESPACE))
        refuse(element, name);
    start.add_attribute(element, name);
    start.acquire(element, attribute->ns);
    Place inside = place;
    inside.escape = Escape::attribute;
    add_text(fmt::format(" {}=\"", name), out);
    if (attribute->children != nullptr)
        add_value_template(element, view(attribute->children->content), inside, out);
    add_text("\"", out);
}

// 7.6.2 of XSLT 1.0.
void Compiler::add_value_template(const xmlNode* node, std::string_view source, const Place& place,
                                  Operations& out) {
    std::string text;
    for (;;) {
        const std::size_t plain = std::min(source.find_first_of("{}"), source.size());
        xml::append_attribute(text, source.substr(0, plain));
        source.remove_prefix(plain);
        if (source.empty()) break;
        if (source.starts_with("{{") || source.starts_with("}}")) {
            text += source.front();
            source.remove_prefix(2);
            continue;
        }
        const std::size_t end = source.find('}');
        const std::string_view inside = source.substr(1, end - 1);
        if (end == 0 || end == std::string_view::npos ||
            inside.find('{') != std::string_view::npos || text::trim(inside).empty())
            refuse(node, fmt::format("the attribute value template \"{}\"", source));
        add_text(std::exchange(text, {}), out);
        out.push_back({Value{parse_string(inside, xpath(node, place)), place.escape}});
        source.remove_prefix(end + 1);
    }
    add_text(std::move(text), out);
}

// xsltElement.
void Compiler::add_named_element(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}") != std::string::npos)
        refuse(node, fmt::format("xsl:element name=\"{}\"", name));
    const std::size_t colon = name.find(':');
    const std::string prefix = colon == std::string::npos ? "" : name.substr(0, colon);
    const xmlNs* ns = namespace_of_prefix(node, prefix);
    if (ns == nullptr && !prefix.empty())
        refuse(node, fmt::format("the undeclared prefix of {}", name));
    StartTag start(place.element);
    start.acquire_own(node, ns);
    finish_element(node, name, start, {}, place, out);
}

// Instructions at the beginning that make attributes, and then the content, which must make
// none. An element is text around its content, unless that may come out empty.
void Compiler::finish_element(const xmlNode* node, const std::string& name, StartTag& start,
                              Operations attributes, const Place& place, Operations& out) {
    Place inside = place.inside();
    inside.element = &start;
    inside.content = Content::attribute;
    const xmlNode* child = node->children;
    for (; child != nullptr && (is_ignored(child) || makes_attributes(child)); child = child->next)
        if (!is_ignored(child)) add_named_attribute(child, inside, attributes);
    inside.content = Content::any;
    Operations content;
    add_content(child, inside, content);
    const bool is_empty = content.empty();
    const std::string close = is_empty ? "/>" : ">";
    std::string begin = fmt::format("<{}{}", name, start.declarations());
    if (attributes.empty())
        begin += close;
    else
        add_text(close, attributes);
    std::string end = fmt::format("</{}>", name);
    if (!is_empty && !always_writes(content)) {
        Element element{std::move(begin), std::move(end), std::move(attributes),
                        std::move(content)};
        out.push_back(make(node, std::move(element)));
        return;
    }
    add_text(std::move(begin), out);
    add_all(std::move(attributes), out);
    add_all(std::move(content), out);
    if (!is_empty) add_text(std::move(end), out);
}

void Compiler::add_named_attribute(const xmlNode* node, const Place& place, Operations& out) {
    if (view(node->name) == "if") return add_choice(node, place, out);
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}:") != std::string::npos)
        refuse(node, fmt::format("xsl:attribute name=\"{}\"", name));
    place.element->add_attribute(node, name);
    Place inside = place.inside();
    inside.content = Content::any;
    inside.escape = Escape::attribute;
    add_text(fmt::format(" {}=\"", name), out);
    add_content(node->children, inside, out);
    add_text("\"", out);
}

}  // namespace oai::transform
