// SPDX-License-Identifier: MIT
// Walks the stylesheet as libxslt keeps it after its own compilation: whitespace is stripped, xsl:text has become text,
// excluded namespaces are gone.
#include "xml/emit_compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <utility>

#include "xml/emit_compiling.h"
#include "xml/emit_source.h"
#include "xml/escape.h"

namespace oai::xml {
namespace {

using Kind = Operation::Kind;

constexpr int kDeepest = 100;  // elements in each other

}  // namespace

Operation Compiler::make(Kind kind, std::string what, std::uint8_t wanted) {
    emission_.points.push_back({node_ == nullptr ? 0 : xmlGetLineNo(node_), std::move(what), wanted});
    Operation operation{.kind = kind};
    operation.point = emission_.points.size() - 1;
    return operation;
}

void Compiler::add_content(const xmlNode* first, const Place& place, Operations& out) {
    for (const xmlNode* node = first; node != nullptr; node = node->next) {
        node_ = node;
        add_node(node, place, out);
    }
}

void Compiler::add_node(const xmlNode* node, const Place& place, Operations& out) {
    if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) return;
    if (node->type == XML_TEXT_NODE) return add_text(node, place, out);
    if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
    if (place.depth > kDeepest) refuse(node, "more than 100 levels");
    const std::string_view name = is_xslt(node) ? view(node->name) : "";
    if (name == "value-of") return add_value(node, place, out);
    if (name == "for-each") return add_each(node, place, out);
    if (name == "if" || name == "choose") {
        Place inside = place;
        ++inside.depth;
        return add_choose(node, place, [&](const xmlNode* branch, Operations& to) { add_content(branch->children, inside, to); }, out);
    }
    if (is_xslt(node) && name != "element" && name != "copy-of") refuse(node, fmt::format("xsl:{} here", name));
    if (place.in_attribute) refuse(node, "an element within an attribute");
    if (name == "copy-of") return add_copy(node, place, out);
    out.push_back(is_xslt(node) ? named_element(node, place) : literal_element(node, place));
}

void Compiler::add_text(const xmlNode* node, const Place& place, Operations& out) {
    if (node->name == xmlStringTextNoenc) refuse(node, "disable-output-escaping");
    std::string text;
    place.in_attribute ? append_attribute(text, view(node->content)) : append_text(text, view(node->content));
    add_markup(std::move(text), out);
}

void Compiler::add_markup(std::string text, Operations& out) {
    if (text.empty()) return;
    Operation markup = make(Kind::text, "text");
    markup.text = std::move(text);
    out.push_back(std::move(markup));
}

void Compiler::add_value(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    if (node->children != nullptr) refuse(node, "content of xsl:value-of");
    Operation value = make(Kind::value, "xsl:value-of");
    value.expression = parse_string(attribute(node, "select"), xpath(place));
    value.in_attribute = place.in_attribute;
    out.push_back(std::move(value));
}

void Compiler::add_each(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    const Expression nodes = parse_nodes(attribute(node, "select"), xpath(place));
    const bool single = nodes.kind == Expression::Kind::attribute;
    Operation each = single ? make(Kind::each_attribute, "xsl:for-each") : make(Kind::each_child, "xsl:for-each", kDone | kSeveral);
    each.slot = nodes.slot;
    Place inside = place;
    inside.stand = single ? Stand::attribute : Stand::entry;
    ++inside.depth;
    add_content(node->children, inside, each.body);
    out.push_back(std::move(each));
}

// xsltCopyOf.
void Compiler::add_copy(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    if (place.stand != Stand::record) refuse(node, "xsl:copy-of within xsl:for-each");
    Operation copy = make(Kind::copy, "xsl:copy-of");
    copy.expression = parse_tree(attribute(node, "select"), xpath(place));
    copy.scope = *place.scope;
    out.push_back(std::move(copy));
}

Operation::Branch Compiler::branch(const xmlNode* node, bool with_test, const Place& place, const AddBody& add_body) {
    node_ = node;
    Operation::Branch out{.test = {}, .body = {}, .point = make(Kind::text, "xsl:" + std::string(view(node->name))).point};
    if (with_test) {
        allow_attributes(node, {"test"});
        out.test = parse_test(attribute(node, "test"), xpath(place));
    } else {
        allow_attributes(node, {});
    }
    add_or_leave(node, add_body, out.body);
    return out;
}

// What a branch needs libxslt for costs the records that come to it, and no others.
void Compiler::add_or_leave(const xmlNode* branch, const AddBody& add_body, Operations& out) {
    const std::size_t points = emission_.points.size();
    std::string why;
    try {
        return add_body(branch, out);
    } catch (const Refusal& refusal) {
        why = where(refusal.line, refusal.what);
    } catch (const Unsupported& unsupported) {
        why = where(xmlGetLineNo(node_), unsupported.what());
    }
    emission_.points.resize(points);
    if (emission_.leaves.empty()) emission_.leaves = std::move(why);
    out = {make(Kind::leave, "", 0)};
}

void Compiler::add_choose(const xmlNode* node, const Place& place, const AddBody& add_body, Operations& out) {
    Operation choose = make(Kind::choose, "xsl:choose", 0);
    if (view(node->name) == "if") {
        choose.branches.push_back(branch(node, true, place, add_body));
        out.push_back(std::move(choose));
        return;
    }
    allow_attributes(node, {});
    for (const xmlNode* when = node->children; when != nullptr; when = when->next) {
        if (when->type != XML_ELEMENT_NODE) continue;
        choose.branches.push_back(branch(when, view(when->name) == "when", place, add_body));
    }
    out.push_back(std::move(choose));
}

// What is made of a record: one literal element or copied one, or a choice of these.
void Compiler::add_record(const xmlNode* parent, bool is_template, Operations& out) {
    static const Scope kNothing;
    const Place top{.scope = &kNothing};
    const xmlNode* const node = only_element(parent);
    node_ = node;
    const std::string_view name = view(node->name);
    if (!is_xslt(node)) {
        if (node->ns == nullptr || view(node->ns->href) != root_namespace_) refuse(node, "a root element of another namespace");
        out.push_back(literal_element(node, top, is_template));
    } else if (name == "copy-of") {
        add_copy(node, top, out);
        out.back().kind = Kind::record;
        out.back().text = root_namespace_;
    } else if (name == "choose") {
        add_choose(node, top, [this](const xmlNode* branch, Operations& to) { add_record(branch, false, to); }, out);
    } else {
        refuse(node, fmt::format("xsl:{} in place of a record's element", name));
    }
}

std::string Compiler::where(long line, std::string_view what) const {
    return fmt::format("{}:{}: {}", stylesheet_.path(), line, what);
}

Compilation Compiler::compile() {
    try {
        add_record(record_template(stylesheet_), true, emission_.operations);
        for (const std::string& name : emission_.trees) {
            if (std::find(emission_.children.begin(), emission_.children.end(), name) == emission_.children.end()) continue;
            throw Unsupported(fmt::format("{0}, of which elements are copied, as text (whether it is there: {0}/*)", name));
        }
        simplify(emission_);
        return {.emission = std::move(emission_), .why_not = {}};
    } catch (const Refusal& refusal) {
        return {.emission = {}, .why_not = where(refusal.line, refusal.what)};
    } catch (const Unsupported& unsupported) {
        return {.emission = {}, .why_not = where(xmlGetLineNo(node_), unsupported.what())};
    }
}

Compilation compile_emission(const Stylesheet& stylesheet, const std::string& root_namespace) {
    return Compiler(stylesheet, root_namespace).compile();
}

}  // namespace oai::xml
