// SPDX-License-Identifier: MIT
// Makes the expressions of a Program, with XPath 1.0's conversions between types (numbers in
// comments are its sections), as far as the subset goes (README). Knows no syntax. Private to the
// compiler.
#pragma once

#include <libxml/tree.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "transform/program.h"
#include "transform/xpath_lexer.h"

namespace oai::transform {

enum class XPathType { nodes, string, number, boolean };
XPathType type_of(const Expression& e);
bool is_context_node(const StoredNodes& nodes);  // written as .

// 3.4: the comparison that an operator is between operands of each type.
struct Comparison {
    std::string_view sign;
    Builtin numbers, any_number, mirrored;  // any_number: of nodes; mirrored: with nodes behind
    std::optional<Builtin> strings, nodes;  // nullopt: XPath compares them as numbers
};

// Columns and coverage points are added to the program. What the subset does not have is refused
// (stylesheet_source.h).
class ExpressionBuilder {
  public:
    // `node`: of the stylesheet, for its line; `lexer`, which must outlive it, refuses.
    ExpressionBuilder(Program& program, const xmlNode* node, const Lexer& lexer)
        : program_(program), node_(node), lexer_(lexer) {}

    template <class Node>
    Expression make(Node node) const {
        Expression e{std::move(node), program_.points.size()};
        const bool two_ways = type_of(e) == XPathType::boolean;
        program_.points.push_back(
            {xmlGetLineNo(node_), static_cast<std::uint8_t>(two_ways ? kExecuted | kFalse : 0)});
        return e;
    }
    template <class... E>
    Expression make_call(Builtin function, E... e) const {
        Call call{function, {}};
        (call.operands.push_back(std::move(e)), ...);
        return make(std::move(call));
    }
    // The column of that kind and name, which is added where the program does not have it.
    std::size_t slot_of(Column::Kind kind, std::string_view name) const;

    Expression to_string(Expression e) const;                // 4.2
    Expression to_boolean(Expression e) const;               // 4.3
    Expression convert(Expression e, XPathType type) const;  // a string is no number
    Expression compare(const Comparison& c, Expression left, Expression right) const;

  private:
    Program& program_;
    const xmlNode* const node_;
    const Lexer& lexer_;
};

}  // namespace oai::transform
