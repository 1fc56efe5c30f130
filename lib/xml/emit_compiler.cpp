// SPDX-License-Identifier: MIT
// Walks the stylesheet as libxslt keeps it after its own compilation: whitespace is stripped, xsl:text has become text,
// excluded namespaces are gone.
#include "xml/emit_compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <array>
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
    emission_.points.push_back({line_, std::move(what), wanted});
    Operation operation{.kind = kind};
    operation.point = emission_.points.size() - 1;
    return operation;
}

void Compiler::add_content(const xmlNode* first, const Place& place, Operations& out) {
    for (const xmlNode* node = first; node != nullptr; node = node->next) {
        line_ = xmlGetLineNo(node);
        add_node(node, place, out);
    }
}

void Compiler::add_node(const xmlNode* node, const Place& place, Operations& out) {
    static constexpr std::array<std::pair<std::string_view, void (Compiler::*)(const xmlNode*, const Place&, Operations&)>, 4>
        kInstructions = {{{"value-of", &Compiler::add_value}, {"for-each", &Compiler::add_each},
                          {"if", &Compiler::add_choose}, {"choose", &Compiler::add_choose}}};
    if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) return;
    if (node->type == XML_TEXT_NODE) return add_text(node, place, out);
    if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
    if (place.depth > kDeepest) refuse(node, "more than 100 levels");
    const std::string_view name = view(node->name);
    if (is_xslt(node)) {
        for (const auto& [instruction, add] : kInstructions) {
            if (instruction == name) return (this->*add)(node, place, out);
        }
    }
    if (is_xslt(node) && name != "element") refuse(node, fmt::format("xsl:{} here", name));
    if (place.in_attribute) refuse(node, "an element within an attribute");
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

Operation::Branch Compiler::branch(const xmlNode* node, bool with_test, const Place& place) {
    Place inside = place;
    ++inside.depth;
    line_ = xmlGetLineNo(node);
    Operation::Branch out{.test = {}, .body = {}, .point = make(Kind::text, "xsl:" + std::string(view(node->name))).point};
    if (with_test) {
        allow_attributes(node, {"test"});
        out.test = parse_test(attribute(node, "test"), xpath(place));
    } else {
        allow_attributes(node, {});
    }
    add_content(node->children, inside, out.body);
    return out;
}

void Compiler::add_choose(const xmlNode* node, const Place& place, Operations& out) {
    Operation choose = make(Kind::choose, "xsl:choose", 0);
    if (view(node->name) == "if") {
        choose.branches.push_back(branch(node, true, place));
        out.push_back(std::move(choose));
        return;
    }
    allow_attributes(node, {});
    for (const xmlNode* when = node->children; when != nullptr; when = when->next) {
        if (when->type != XML_ELEMENT_NODE) continue;
        choose.branches.push_back(branch(when, view(when->name) == "when", place));
    }
    out.push_back(std::move(choose));
}

Compilation Compiler::compile() {
    try {
        const Scope nothing;
        const Place top{.scope = &nothing};
        emission_.operations.push_back(literal_element(literal_root(stylesheet_, root_namespace_), top, true));
        simplify(emission_);
        return {.emission = std::move(emission_), .why_not = {}};
    } catch (const Refusal& refusal) {
        return {.emission = {}, .why_not = fmt::format("{}:{}: {}", stylesheet_.path(), refusal.line, refusal.what)};
    } catch (const Unsupported& unsupported) {
        return {.emission = {}, .why_not = fmt::format("{}:{}: {}", stylesheet_.path(), line_, unsupported.what())};
    }
}

Compilation compile_emission(const Stylesheet& stylesheet, const std::string& root_namespace) {
    return Compiler(stylesheet, root_namespace).compile();
}

}  // namespace oai::xml
