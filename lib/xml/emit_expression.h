// SPDX-License-Identifier: MIT
// Makes Expressions (emit.h) of the plain subset (emit_compiler.h): their types, conversions, comparisons and functions as
// XPath 1.0 has them (numbers in comments are its sections). Knows no syntax. Private to emit_xpath.cpp.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "xml/emit.h"
#include "xml/emit_xpath.h"

namespace oai::xml {

enum class XPathType { nodes, string, number, boolean };

XPathType type_of(Expression::Kind kind);

template <class... E>
std::vector<Expression> operands(E... e) {
    std::vector<Expression> out;
    (out.push_back(std::move(e)), ...);
    return out;
}

class ExpressionMaker {
  public:
    struct Function {
        std::string_view name;
        Expression::Kind kind;
        std::size_t least, most;  // arguments
        XPathType type;           // of the arguments
    };

    // `source`: of the whole expression. Both must outlive it.
    ExpressionMaker(std::string_view source, const XPathContext& context) : source_(source), context_(context) {}

    // These throw Unsupported for what the subset does not have.
    Expression make(Expression::Kind kind, std::vector<Expression> arguments = {});
    Expression attribute(std::string_view name, bool of_record);
    Expression child(std::string_view name);
    Expression tree(std::string_view name, TreePath path);
    Expression to_string(Expression e);
    Expression to_boolean(Expression e);
    Expression compare(std::string_view op, Expression left, Expression right);
    const Function& function(std::string_view name) const;
    Expression call(const Function& function, std::vector<Expression> arguments);

  private:
    Expression translation(Expression e) const;
    bool inside() const { return context_.stand != Stand::record; }
    [[noreturn]] void refuse(std::string_view what) const;

    const std::string_view source_;
    const XPathContext& context_;
};

}  // namespace oai::xml
