// SPDX-License-Identifier: MIT
// Comments name the function of libxslt whose outcome is foreseen.
#include "transform/content_compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <utility>

#include "xml/escape.h"

namespace oai::transform {

void Compiler::add_content(const xmlNode* first, const Place& place, Operations& out) {
    Place here = place;
    for (const xmlNode* node = first; node != nullptr; node = node->next) {
        if (is_ignored(node)) continue;
        if (is_instruction(node, "variable"))
            here.variables = declare(node, evaluate(node, here, out), here);
        else
            add_node(node, here, out);
    }
}

void Compiler::add_node(const xmlNode* node, const Place& place, Operations& out) {
    if (node->type == XML_TEXT_NODE) return add_text_node(node, place, out);
    if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
    if (place.depth > kMaxElementDepth) refuse(node, "more than 100 levels");
    if (++nodes_ > kMaxNodes) refuse(node, "more than 20,000 nodes");
    if (is_xslt(node)) return add_instruction(node, place, out);
    if (place.escape != Escape::text) refuse(node, "an element within an attribute or variable");
    add_literal_element(node, place, out);
}

void Compiler::add_instruction(const xmlNode* node, const Place& place, Operations& out) {
    const std::string_view name = view(node->name);
    if (name == "value-of") return add_value(node, place, out);
    if (name == "for-each") return add_for_each(node, place, out);
    if (name == "if" || name == "choose") return add_choice(node, place, out);
    if (name == "apply-imports") return add_imported(node, place, out);
    if (name == "call-template") return add_called(node, place, out);
    if (name != "element" && name != "copy-of") refuse(node, fmt::format("xsl:{} here", name));
    if (place.escape != Escape::text) refuse(node, "an element within an attribute or variable");
    if (name == "element") return add_named_element(node, place, out);
    out.push_back(make(node, copy_of(node, place)));
}

void Compiler::add_text_node(const xmlNode* node, const Place& place, Operations& out) {
    if (node->name == xmlStringTextNoenc) refuse(node, "disable-output-escaping");
    std::string text;
    switch (place.escape) {
        case Escape::none: text = view(node->content); break;
        case Escape::text: xml::append_text(text, view(node->content)); break;
        case Escape::attribute: xml::append_attribute(text, view(node->content)); break;
    }
    add_text(std::move(text), out);
}

void Compiler::add_value(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    if (node->children != nullptr) refuse(node, "content of xsl:value-of");
    out.push_back(
        {Value{parse_string(attribute(node, "select"), xpath(node, place)), place.escape}});
}

void Compiler::add_for_each(const xmlNode* node, const Place& place, Operations& out) {
    Place inside = place.inside();
    ForEach each = for_each(node, inside);
    const std::uint8_t reachable =
        may_repeat(each) ? static_cast<std::uint8_t>(kExecuted | kRepeated) : kExecuted;
    add_content(node->children, inside, each.body);
    out.push_back(make(node, std::move(each), reachable));
}

// Without its body. `inside`: the place of that, whose context is set.
ForEach Compiler::for_each(const xmlNode* node, Place& inside) {
    allow_attributes(node, {"select"});
    ForEach out{parse_nodes(attribute(node, "select"), xpath(node, inside)), {}};
    const auto* const column = std::get_if<ColumnNodes>(&out.nodes);
    inside.context = column == nullptr       ? ContextKind::stored
                     : is_attribute(*column) ? ContextKind::attribute
                                             : ContextKind::child;
    return out;
}

bool Compiler::is_attribute(const ColumnNodes& nodes) const {
    return program_.columns[nodes.slot].kind == Column::Kind::attribute;
}

// A predicate may leave one.
bool Compiler::may_repeat(const ForEach& each) const {
    if (const auto* const column = std::get_if<ColumnNodes>(&each.nodes))
        return !is_attribute(*column) && column->filter.empty();
    const auto& steps = std::get_if<StoredNodes>(&each.nodes)->steps;
    return !each.makes_record &&
           std::all_of(steps.begin(), steps.end(), [](const Step& s) { return s.filters.empty(); });
}

// xsltCopyOf.
CopyElements Compiler::copy_of(const xmlNode* node, const Place& place) {
    allow_attributes(node, {"select"});
    if (place.context == ContextKind::attribute || place.context == ContextKind::child)
        refuse(node, "xsl:copy-of within xsl:for-each over columns");
    return {parse_stored_elements(attribute(node, "select"), xpath(node, place)),
            place.element != nullptr ? place.element->scope() : Scope()};
}

// xsl:choose; xsl:if is one of a single branch.
void Compiler::add_choice(const xmlNode* node, const Place& place, Operations& out) {
    Choose choose;
    if (view(node->name) == "if") {
        choose.branches.push_back(branch(node, place));
    } else {
        allow_attributes(node, {});
        for (const xmlNode* when = node->children; when != nullptr; when = when->next)
            if (when->type == XML_ELEMENT_NODE) choose.branches.push_back(branch(when, place));
    }
    out.push_back({std::move(choose)});
}

// What a branch needs libxslt for costs the records that come to it, and no others.
Branch Compiler::branch(const xmlNode* node, const Place& place) {
    Branch out;
    if (view(node->name) == "otherwise") {
        allow_attributes(node, {});
        out.point = add_point(node, kExecuted);
    } else {
        allow_attributes(node, {"test"});
        out.test = parse_test(attribute(node, "test"), xpath(node, place));
    }
    const std::size_t points = program_.points.size();
    try {
        const Place inside = place.inside();
        if (place.content == Content::record)
            add_record(node, inside, out.body);
        else if (place.content == Content::attribute)
            add_named_attribute(node->children, inside, out.body);
        else
            add_content(node->children, inside, out.body);
    } catch (const Unsupported& unsupported) {
        program_.points.resize(points);
        if (program_.fallback.empty()) program_.fallback = where(unsupported);
        out.body.clear();
        out.body.push_back(make(node, Fallback{}, 0));
    }
    return out;
}

}  // namespace oai::transform
