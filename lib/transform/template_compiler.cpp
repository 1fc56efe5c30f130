// SPDX-License-Identifier: MIT
// Comments name the function of libxslt whose outcome is foreseen.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transform/content_compiler.h"

namespace oai::transform {

// xsltApplyImports: the imported template takes the place of the instruction.
void Compiler::add_imported(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {});
    if (place.context != ContextKind::record) refuse(node, "xsl:apply-imports within xsl:for-each");
    if (node->children != nullptr) refuse(node, "content of xsl:apply-imports");
    if (place.caller != nullptr) refuse(node, "xsl:apply-imports within a called template");
    Place inside = place.inside();
    inside.rule = imported_record_template(place.rule->style);
    if (inside.rule == nullptr) refuse(node, "xsl:apply-imports without an imported template");
    inside.is_template_top = true;
    inside.variables = nullptr;
    add_content(inside.rule->elem->children, inside, out);
}

// xsltCallTemplate: the template takes the place of the instruction.
void Compiler::add_called(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    Place inside = place.inside();
    inside.rule = named_template(stylesheet_.handle(), name);
    if (inside.rule == nullptr) refuse(node, fmt::format("the template {}", name));
    for (const Place* p = &place; p != nullptr; p = p->caller)
        if (p->rule == inside.rule) refuse(node, "a template that calls itself");
    inside.is_template_top = true;
    inside.caller = &place;
    inside.variables = nullptr;
    std::vector<VariableBinding> passed;
    for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
        if (is_ignored(child)) continue;
        if (!is_instruction(child, "with-param")) refuse(child, "this in xsl:call-template");
        passed.push_back(evaluate(child, place, out));
    }
    const xmlNode* child = inside.rule->elem->children;
    for (; child != nullptr && (is_ignored(child) || is_instruction(child, "param"));
         child = child->next)
        if (!is_ignored(child)) declare_parameter(child, passed, inside, out);
    add_content(child, inside, out);
}

void Compiler::declare_parameter(const xmlNode* node, const std::vector<VariableBinding>& passed,
                                 Place& place, Operations& out) {
    const std::string name = attribute(node, "name");
    const auto found = std::find_if(passed.begin(), passed.end(),
                                    [&](const auto& given) { return given.name == name; });
    place.variables =
        declare(node, found != passed.end() ? *found : evaluate(node, place, out), place);
}

// xsltParseStylesheetVariable; also of a parameter, and of what is passed for one.
VariableBinding Compiler::evaluate(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"name", "select"});
    VariableBinding binding{attribute(node, "name"), program_.variables++, VariableKind::tree};
    Variable variable{binding.slot, {}};
    if (has_attribute(node, "select")) {
        if (node->children != nullptr) refuse(node, "content beside select");
        Expression e = parse_string(attribute(node, "select"), xpath(node, place));
        binding.kind = kind_of(e);
        variable.body.push_back({Value{std::move(e), Escape::none}});
    } else if (node->children == nullptr) {
        binding.kind = VariableKind::string;
    } else {
        Place inside = place.inside();
        inside.escape = Escape::none;
        add_content(node->children, inside, variable.body);
    }
    out.push_back({std::move(variable)});
    return binding;
}

// 11.5: a template cannot have two of a name, one within the scope of the other.
const VariableBinding* Compiler::declare(const xmlNode* node, VariableBinding binding,
                                         const Place& place) {
    for (const auto* v = place.variables; v != nullptr; v = v->outer)
        if (v->name == binding.name)
            refuse(node, fmt::format("a second variable ${}", binding.name));
    binding.outer = place.variables;
    return &bindings_.emplace_back(std::move(binding));
}

}  // namespace oai::transform
