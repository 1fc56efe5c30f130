// SPDX-License-Identifier: MIT
#include "xml/emit_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "xml/emit_lexer.h"

namespace oai::xml {
namespace {

using Kind = Expression::Kind;

std::size_t slot_of(std::vector<std::string>& names, std::string_view name) {
    const auto slot = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (slot == names.size()) names.emplace_back(name);
    return slot;
}

constexpr std::array<ExpressionMaker::Function, 12> kFunctions = {{
    {"concat", Kind::concat, 2, 99, XPathType::string},
    {"translate", Kind::translate, 3, 3, XPathType::string},
    {"normalize-space", Kind::normalize_space, 0, 1, XPathType::string},
    {"substring-before", Kind::substring_before, 2, 2, XPathType::string},
    {"substring-after", Kind::substring_after, 2, 2, XPathType::string},
    {"string", Kind::string, 0, 1, XPathType::string},
    {"string-length", Kind::string_length, 0, 1, XPathType::string},
    {"position", Kind::position, 0, 0, XPathType::string},
    {"last", Kind::last, 0, 0, XPathType::string},
    {"starts-with", Kind::starts_with, 2, 2, XPathType::string},
    {"contains", Kind::contains, 2, 2, XPathType::string},
    {"not", Kind::negation, 1, 1, XPathType::boolean},
}};

}  // namespace

XPathType type_of(Kind kind) {
    if (kind <= Kind::tree) return XPathType::nodes;
    if (kind <= Kind::substring_after) return XPathType::string;
    return kind <= Kind::string_length ? XPathType::number : XPathType::boolean;
}

void ExpressionMaker::refuse(std::string_view what) const { throw Unsupported(fmt::format("{} in \"{}\"", what, source_)); }

Expression ExpressionMaker::make(Kind kind, std::vector<Expression> arguments) {
    const bool two_ways = type_of(kind) == XPathType::boolean;
    std::vector<Point>& points = context_.emission.points;
    points.push_back({xmlGetLineNo(context_.node), std::string(source_), static_cast<std::uint8_t>(two_ways ? kDone | kNot : 0)});
    Expression e{.kind = kind, .arguments = std::move(arguments)};
    e.point = points.size() - 1;
    return e;
}

Expression ExpressionMaker::child(std::string_view name) {
    Expression e = make(Kind::child);
    e.slot = slot_of(context_.emission.children, name);
    return e;
}

Expression ExpressionMaker::tree(std::string_view name, TreePath path) {
    Expression e = make(Kind::tree);
    e.slot = slot_of(context_.emission.trees, name);
    e.path = std::move(path);
    return e;
}

Expression ExpressionMaker::attribute(std::string_view name, bool of_record) {
    if (!of_record) {
        if (context_.stand != Stand::entry || name != "lang") {
            refuse(fmt::format("@{0} within xsl:for-each (the record's is ../@{0})", name));
        }
        return make(Kind::lang);
    }
    Expression e = make(Kind::attribute);
    e.slot = slot_of(context_.emission.attributes, name);
    return e;
}

Expression ExpressionMaker::to_string(Expression e) {
    if (type_of(e.kind) == XPathType::boolean) refuse("a boolean as a string");
    if (e.kind == Kind::tree) refuse("elements as a string");
    if (e.kind != Kind::literal && e.kind != Kind::number) context_.emission.points[e.point].wanted = kDone;
    return e;
}

Expression ExpressionMaker::to_boolean(Expression e) {
    switch (type_of(e.kind)) {
        case XPathType::boolean:
            return e;
        case XPathType::nodes:
            if (e.kind == Kind::self) refuse(". as a condition, which is always true,");
            return make(Kind::exists, operands(std::move(e)));
        case XPathType::string:
            if (e.kind == Kind::literal) refuse("a literal as a condition");
            return make(Kind::not_empty, operands(to_string(std::move(e))));
        case XPathType::number:
            break;
    }
    refuse("a number as a condition");
}

// 3.4. Of two sets of nodes, of a set with a number or a boolean, and of a string with a number the rules are others.
Expression ExpressionMaker::compare(std::string_view op, Expression left, Expression right) {
    static constexpr std::array<std::pair<std::string_view, Kind>, 6> kNumeric = {{
        {"=", Kind::number_equal}, {"!=", Kind::number_not_equal}, {"<", Kind::less}, {"<=", Kind::less_equal},
        {">", Kind::greater},      {">=", Kind::greater_equal},
    }};
    const XPathType a = type_of(left.kind);
    const XPathType b = type_of(right.kind);
    if (a == XPathType::number && b == XPathType::number) {
        const auto kind = std::find_if(kNumeric.begin(), kNumeric.end(), [&](const auto& n) { return n.first == op; });
        return make(kind->second, operands(std::move(left), std::move(right)));
    }
    const bool strings = (a == XPathType::string || a == XPathType::nodes) && (b == XPathType::string || b == XPathType::nodes);
    if (!strings || (a == XPathType::nodes && b == XPathType::nodes) || (op != "=" && op != "!=")) {
        refuse(fmt::format("{} between operands of these types (a number in quotes compares as text)", op));
    }
    if (b == XPathType::nodes) std::swap(left, right);
    if (left.kind == Kind::tree) refuse(fmt::format("{} of elements", op));
    // A set of nodes is asked node by node.
    if (type_of(left.kind) != XPathType::nodes) left = to_string(std::move(left));
    return make(op == "=" ? Kind::equal : Kind::not_equal, operands(std::move(left), to_string(std::move(right))));
}

const ExpressionMaker::Function& ExpressionMaker::function(std::string_view name) const {
    const auto* const found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == name; });
    if (found == kFunctions.end()) refuse(fmt::format("{}()", name));
    return *found;
}

Expression ExpressionMaker::call(const Function& function, std::vector<Expression> arguments) {
    if (arguments.size() < function.least || arguments.size() > function.most)
        refuse(fmt::format("{}() with {} arguments", function.name, arguments.size()));
    // 4.2: without an argument these take the node that the expression stands on; 4.1: so do position() and last().
    if (arguments.empty()) {
        if (!inside()) refuse(fmt::format("{}() of the record", function.name));
        if (function.most == 1) arguments.push_back(to_string(make(Kind::self)));
    }
    Expression e = make(function.kind, std::move(arguments));
    return function.kind == Kind::translate ? translation(std::move(e)) : e;
}

// The first of a repeated character counts; what has no counterpart goes.
Expression ExpressionMaker::translation(Expression e) const {
    if (e.arguments[1].kind != Kind::literal || e.arguments[2].kind != Kind::literal) refuse("translate() without literals");
    const auto from = split_characters(e.arguments[1].text);
    const auto to = split_characters(e.arguments[2].text);
    for (std::size_t i = 0; i < from.size(); ++i) e.replacements.emplace_back(from[i], i < to.size() ? to[i] : "");
    return e;
}

}  // namespace oai::xml
