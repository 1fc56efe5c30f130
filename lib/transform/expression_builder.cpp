// SPDX-License-Identifier: MIT
#include "transform/expression_builder.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace oai::transform {
namespace {

bool is_metadata_namespace(const Expression& e) {
    return std::holds_alternative<MetadataNamespace>(e.node);
}

bool is_variable_other_than(VariableKind kind, VariableKind or_kind, const Expression& e) {
    const auto* const variable = std::get_if<VariableText>(&e.node);
    return variable != nullptr && variable->kind != kind && variable->kind != or_kind;
}

}  // namespace

XPathType type_of(const Expression& e) {
    if (const auto* call = std::get_if<Call>(&e.node)) {
        return call->function <= Builtin::translate       ? XPathType::string
               : call->function <= Builtin::string_length ? XPathType::number
                                                          : XPathType::boolean;
    }
    if (std::holds_alternative<Number>(e.node)) return XPathType::number;
    const bool is_string =
        std::holds_alternative<Literal>(e.node) || std::holds_alternative<VariableText>(e.node);
    return is_string ? XPathType::string : XPathType::nodes;
}

bool is_context_node(const StoredNodes& nodes) {
    return !nodes.slot && nodes.steps.empty() && !nodes.attribute;
}

std::size_t ExpressionBuilder::slot_of(Column::Kind kind, std::string_view name) const {
    std::vector<Column>& columns = program_.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name != name) continue;
        if (columns[i].kind == kind) return i;
        if (kind != Column::Kind::attribute && columns[i].kind != Column::Kind::attribute)
            lexer_.refuse(
                fmt::format("{0}, in which elements are looked up, as text (whether it "
                            "is there: {0}/*)",
                            name));
    }
    columns.push_back({kind, std::string(name)});
    return columns.size() - 1;
}

Expression ExpressionBuilder::to_string(Expression e) const {
    if (type_of(e) == XPathType::boolean) lexer_.refuse("a boolean as a string");
    if (!std::holds_alternative<Literal>(e.node) && !std::holds_alternative<Number>(e.node))
        program_.points[e.point].reachable = kExecuted;
    return e;
}

Expression ExpressionBuilder::to_boolean(Expression e) const {
    const XPathType type = type_of(e);
    if (type == XPathType::boolean) return e;
    const auto* const stored = std::get_if<StoredNodes>(&e.node);
    if (type == XPathType::number || std::holds_alternative<Literal>(e.node) ||
        std::holds_alternative<ContextNode>(e.node) ||
        (stored != nullptr && is_context_node(*stored)))
        lexer_.refuse("a number, a literal or . as a condition");
    if (is_variable_other_than(VariableKind::string, VariableKind::string, e))
        lexer_.refuse("a variable as a condition that is no string");
    if (type == XPathType::nodes) return make_call(Builtin::exists, std::move(e));
    return make_call(Builtin::not_empty, to_string(std::move(e)));
}

Expression ExpressionBuilder::convert(Expression e, XPathType type) const {
    if (type == XPathType::boolean) return to_boolean(std::move(e));
    if (type == XPathType::string) return to_string(std::move(e));
    if (type_of(e) != XPathType::number) lexer_.refuse("a string as a number");
    return e;
}

// Of two sets of nodes, of a set with a boolean, and of a string with a number XPath's rules
// are others. /records/@metadataNamespace is a set that any other can be compared with.
Expression ExpressionBuilder::compare(const Comparison& c, Expression left,
                                      Expression right) const {
    const bool swap = type_of(right) == XPathType::nodes && !is_metadata_namespace(right);
    if (swap) std::swap(left, right);
    const XPathType a = type_of(left);
    const XPathType b =
        a == XPathType::nodes && is_metadata_namespace(right) ? XPathType::string : type_of(right);
    if (a == XPathType::number && b == XPathType::number)
        return make_call(c.numbers, std::move(left), std::move(right));
    if (a == XPathType::nodes && b == XPathType::number)
        return make_call(swap ? c.mirrored : c.any_number, std::move(left), std::move(right));
    const bool is_text = a == XPathType::string || a == XPathType::nodes;
    if (!c.strings || !is_text || b != XPathType::string ||
        is_variable_other_than(VariableKind::string, VariableKind::tree, left) ||
        is_variable_other_than(VariableKind::string, VariableKind::tree, right))
        lexer_.refuse(fmt::format(
            "{} between operands of these types (a number in quotes compares as text)", c.sign));
    if (a == XPathType::nodes)
        return make_call(*c.nodes, std::move(left), to_string(std::move(right)));
    return make_call(*c.strings, to_string(std::move(left)), to_string(std::move(right)));
}

}  // namespace oai::transform
