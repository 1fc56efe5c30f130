// SPDX-License-Identifier: MIT
// Elements and attributes of the result: what start tags are made of.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "xml/emit_compiling.h"
#include "xml/emit_source.h"
#include "xml/escape.h"

namespace oai::xml {
namespace {

using Kind = Operation::Kind;

bool is_blank(std::string_view s) { return s.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

// xsltShallowCopyElem, then (of the root) the namespaces of the template, then xsltAttrListTemplateProcess.
Operation Compiler::literal_element(const xmlNode* node, const Place& place, bool is_root) {
    node_ = node;
    StartTag start(*place.scope, node->ns != nullptr);
    for (const xmlNs* ns = node->nsDef; ns != nullptr; ns = ns->next) {
        if (view(ns->href).empty()) refuse(node, "xmlns=\"\"");
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        const bool redundant = known != nullptr && known->uri == view(ns->href);
        if (!redundant && !xmlStrEqual(ns->href, XSLT_NAMESPACE)) start.declare(view(ns->prefix), view(ns->href));
    }
    if (node->ns != nullptr) {
        start.acquire(node, node->ns);
    } else if (place.parent_has_namespace && in_force(start.scope(), "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    if (is_root) inherit(node, start);
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    Operations attributes;
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        add_literal_attribute(a, start, place, attributes);
    }
    Operation out = finish_element(node, qualified(node->ns, node->name), std::move(start), std::move(attributes), place);
    attribute_names_ = outer;
    return out;
}

void Compiler::inherit(const xmlNode* node, StartTag& start) const {
    const xsltTemplate* around = stylesheet_.handle()->templates;
    for (int i = 0; i < around->inheritedNsNr; ++i) {
        const xmlNs* ns = around->inheritedNs[i];
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        if (known != nullptr && known->uri != view(ns->href)) refuse(node, "a prefix that is declared twice");
        if (known == nullptr) start.declare(view(ns->prefix), view(ns->href));
    }
}

void Compiler::add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place, Operations& out) {
    const xmlNode* element = attribute->parent;
    const std::string name = qualified(attribute->ns, attribute->name);
    if (attribute->ns != nullptr && xmlStrEqual(attribute->ns->href, XSLT_NAMESPACE)) refuse(element, name);
    note_attribute(element, name);
    start.acquire(element, attribute->ns);
    Place inside = place;
    inside.in_attribute = true;
    add_markup(fmt::format(" {}=\"", name), out);
    add_template(attribute->children == nullptr ? "" : view(attribute->children->content), inside, out);
    add_markup("\"", out);
}

// An attribute value template (XSLT 7.6.2).
void Compiler::add_template(std::string_view source, const Place& place, Operations& out) {
    std::string text;
    while (!source.empty()) {
        const std::size_t plain = std::min(source.find_first_of("{}"), source.size());
        append_attribute(text, source.substr(0, plain));
        source.remove_prefix(plain);
        if (source.starts_with("{{") || source.starts_with("}}")) {
            text += source.front();
            source.remove_prefix(2);
        } else if (source.starts_with("{")) {
            const std::size_t end = source.find('}');
            const std::string_view inside = source.substr(1, end == std::string_view::npos ? end : end - 1);
            if (end == std::string_view::npos || inside.find('{') != std::string_view::npos || is_blank(inside)) {
                throw Unsupported(fmt::format("the attribute value template \"{}\"", source));
            }
            add_markup(std::exchange(text, {}), out);
            Operation value = make(Kind::value, "{" + std::string(inside) + "}");
            value.expression = parse_string(inside, xpath(place));
            value.in_attribute = true;
            out.push_back(std::move(value));
            source.remove_prefix(end + 1);
        } else if (!source.empty()) {
            throw Unsupported("a single } in an attribute value template");
        }
    }
    add_markup(std::move(text), out);
}

// xsltElement.
Operation Compiler::named_element(const xmlNode* node, const Place& place) {
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}") != std::string::npos) refuse(node, fmt::format("xsl:element name=\"{}\"", name));
    const std::size_t colon = name.find(':');
    const std::string prefix = colon == std::string::npos ? "" : name.substr(0, colon);
    const auto* wanted = prefix.empty() ? nullptr : reinterpret_cast<const xmlChar*>(prefix.c_str());
    const xmlNs* ns = xmlSearchNs(node->doc, const_cast<xmlNode*>(node), wanted);
    if (ns == nullptr && !prefix.empty()) refuse(node, fmt::format("the undeclared prefix of {}", name));
    StartTag start(*place.scope, ns != nullptr);
    if (ns != nullptr) {
        start.acquire(node, ns);
    } else if (place.parent_has_namespace && in_force(start.scope(), "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    Operation out = finish_element(node, name, std::move(start), {}, place);
    attribute_names_ = outer;
    return out;
}

// Instructions at the beginning that make attributes, and then the content, which must make none.
Operation Compiler::finish_element(const xmlNode* node, const std::string& name, StartTag start, Operations attributes,
                                   const Place& place) {
    Operation element = make(Kind::element, "<" + name + ">");
    element.text = fmt::format("<{}{}", name, start.declarations());
    element.end = fmt::format("</{}>", name);
    element.head = std::move(attributes);
    Place inside{.stand = place.stand, .scope = &start.scope(), .parent_has_namespace = start.has_namespace(),
                 .depth = place.depth + 1};
    const xmlNode* child = node->children;
    for (; child != nullptr; child = child->next) {
        node_ = child;
        if (child->type == XML_COMMENT_NODE || child->type == XML_PI_NODE) continue;
        if (!makes_attributes(child)) break;
        element.head.push_back(named_attribute(child, inside));
    }
    add_content(child, inside, element.body);
    return element;
}

bool Compiler::makes_attributes(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && is_xslt(node) &&
           (view(node->name) == "attribute" ||
            (view(node->name) == "if" && node->children != nullptr && node->children->next == nullptr &&
             makes_attributes(node->children)));
}

// xsl:attribute, or one within xsl:if.
Operation Compiler::named_attribute(const xmlNode* node, const Place& place) {
    node_ = node;
    if (view(node->name) == "if") {
        allow_attributes(node, {"test"});
        Operation choose = make(Kind::choose, "xsl:if", 0);
        Operation::Branch only{.test = parse_test(attribute(node, "test"), xpath(place)), .body = {},
                               .point = make(Kind::text, "xsl:if").point};
        only.body.push_back(named_attribute(node->children, place));
        choose.branches.push_back(std::move(only));
        return choose;
    }
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}:") != std::string::npos) refuse(node, fmt::format("xsl:attribute name=\"{}\"", name));
    note_attribute(node, name);
    Operation out = make(Kind::attribute, "xsl:attribute");
    out.text = fmt::format(" {}=\"", name);
    Place inside = place;
    inside.in_attribute = true;
    ++inside.depth;
    add_content(node->children, inside, out.body);
    return out;
}

void Compiler::note_attribute(const xmlNode* node, std::string_view name) {
    if (std::find(attribute_names_.begin(), attribute_names_.end(), name) != attribute_names_.end()) {
        refuse(node, fmt::format("the attribute {} twice", name));
    }
    attribute_names_.emplace_back(name);
}

}  // namespace oai::xml
