// SPDX-License-Identifier: MIT
// Recursive descent along the grammar of XPath 1.0 (numbers in comments are its sections), as far
// as the subset goes, with XPath's own conversions between types.
#include "transform/xpath_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transform/stylesheet_source.h"
#include "transform/xpath_lexer.h"

namespace oai::transform {
namespace {

constexpr std::size_t kMaxDepth = 64;  // parentheses and calls in each other
constexpr std::size_t kAnyNumber = 99;

template <class Node, typename Node::Name kName>
Expression::Node make_node(Expressions operands) {
    return Node{kName, std::move(operands)};
}

// 4: what the subset has of XPath's functions.
struct Function {
    std::string_view name;
    std::size_t min_arguments, max_arguments;
    Type type;  // of the arguments
    Expression::Node (*make)(Expressions arguments);
};
Expression::Node make_translate(Expressions arguments) { return Translate{std::move(arguments)}; }
constexpr std::array<Function, 12> kFunctions = {{
    {"concat", 2, kAnyNumber, Type::string,
     make_node<StringFunction, StringFunction::Name::concat>},
    {"translate", 3, 3, Type::string, make_translate},
    {"normalize-space", 0, 1, Type::string,
     make_node<StringFunction, StringFunction::Name::normalize_space>},
    {"substring-before", 2, 2, Type::string,
     make_node<StringFunction, StringFunction::Name::substring_before>},
    {"substring-after", 2, 2, Type::string,
     make_node<StringFunction, StringFunction::Name::substring_after>},
    {"string", 0, 1, Type::string, make_node<StringFunction, StringFunction::Name::string>},
    {"string-length", 0, 1, Type::string,
     make_node<NumberFunction, NumberFunction::Name::string_length>},
    {"position", 0, 0, Type::string, make_node<NumberFunction, NumberFunction::Name::position>},
    {"last", 0, 0, Type::string, make_node<NumberFunction, NumberFunction::Name::last>},
    {"starts-with", 2, 2, Type::string, make_node<StringTest, StringTest::Name::starts_with>},
    {"contains", 2, 2, Type::string, make_node<StringTest, StringTest::Name::contains>},
    {"not", 1, 1, Type::boolean, make_node<Connective, Connective::Name::negation>},
}};

template <class... E>
Expressions operands(E... e) {
    Expressions out;
    (out.push_back(std::move(e)), ...);
    return out;
}

std::size_t slot_of(std::vector<std::string>& names, std::string_view name) {
    const auto slot =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (slot == names.size()) names.emplace_back(name);
    return slot;
}

class XPathParser {
  public:
    XPathParser(std::string_view source, const XPathContext& context)
        : lexer_(source, context.node), source_(source), context_(context) {}

    Expression parse() {
        Expression e = either();
        lexer_.expect_end();
        return e;
    }
    Expression to_string(Expression e) const;
    Expression to_boolean(Expression e) const;

  private:
    Expression either();
    Expression both();
    Expression equality();
    Expression relation();
    Expression compare(std::string_view op, Expression left, Expression right) const;
    Expression primary();
    Expression path();
    Expression parent_path();
    Expression attribute(std::string_view name, bool of_record) const;
    Expression child(std::string_view name) const {
        return make(ChildNodes{slot_of(context_.program.children, name)});
    }
    Expression stored_elements(std::string_view column);
    ElementName element_name();
    Expression call(std::string_view name);
    Expression::Node translate(Expressions arguments) const;

    Expression make(Expression::Node node) const;
    Expression connect(Connective::Name name, Expression left, Expression right) const {
        return make(
            Connective{name, operands(to_boolean(std::move(left)), to_boolean(std::move(right)))});
    }
    bool in_for_each() const { return context_.kind != ContextKind::record; }

    XPathLexer lexer_;
    const std::string_view source_;
    const XPathContext& context_;
    std::size_t depth_ = 0;
};

Expression XPathParser::make(Expression::Node node) const {
    std::vector<CoveragePoint>& points = context_.program.points;
    Expression e{.node = std::move(node), .point = points.size()};
    const bool two_ways = type_of(e) == Type::boolean;
    points.push_back({xmlGetLineNo(context_.node), std::string(source_),
                      static_cast<std::uint8_t>(two_ways ? kExecuted | kFalse : 0)});
    return e;
}

Expression XPathParser::to_string(Expression e) const {
    if (type_of(e) == Type::boolean) lexer_.refuse("a boolean as a string");
    if (std::holds_alternative<StoredElements>(e.node)) lexer_.refuse("elements as a string");
    if (!std::holds_alternative<Literal>(e.node) && !std::holds_alternative<Number>(e.node))
        context_.program.points[e.point].reachable = kExecuted;
    return e;
}

Expression XPathParser::to_boolean(Expression e) const {
    switch (type_of(e)) {
        case Type::boolean:
            return e;
        case Type::nodes:
            if (std::holds_alternative<ContextNode>(e.node))
                lexer_.refuse(". as a condition, which is always true,");
            return make(Exists{operands(std::move(e))});
        case Type::string:
            if (std::holds_alternative<Literal>(e.node)) lexer_.refuse("a literal as a condition");
            return make(NotEmpty{operands(to_string(std::move(e)))});
        case Type::number:
            break;
    }
    lexer_.refuse("a number as a condition");
}

// 3.4: or binds less than and; both are left-associative.
Expression XPathParser::either() {
    if (++depth_ > kMaxDepth) lexer_.refuse("an expression of more than 64 levels");
    Expression left = both();
    while (lexer_.accept_word("or"))
        left = connect(Connective::Name::either, std::move(left), both());
    --depth_;
    return left;
}

Expression XPathParser::both() {
    Expression left = equality();
    while (lexer_.accept_word("and"))
        left = connect(Connective::Name::both, std::move(left), equality());
    return left;
}

Expression XPathParser::equality() {
    Expression left = relation();
    for (const std::string_view op : {"=", "!="}) {
        if (lexer_.accept(op)) return compare(op, std::move(left), relation());
    }
    return left;
}

Expression XPathParser::relation() {
    Expression left = primary();
    for (const std::string_view op : {"<=", ">=", "<", ">"}) {
        if (lexer_.accept(op)) return compare(op, std::move(left), primary());
    }
    return left;
}

// 3.4. Of two sets of nodes, of a set with a number or a boolean, and of a string with a number the
// rules are others.
Expression XPathParser::compare(std::string_view op, Expression left, Expression right) const {
    using Name = NumberComparison::Name;
    static constexpr std::array<std::pair<std::string_view, Name>, 6> kNumeric = {{
        {"=", Name::equal},
        {"!=", Name::not_equal},
        {"<", Name::less},
        {"<=", Name::less_equal},
        {">", Name::greater},
        {">=", Name::greater_equal},
    }};
    const Type a = type_of(left), b = type_of(right);
    if (a == Type::number && b == Type::number) {
        const auto name = std::find_if(kNumeric.begin(), kNumeric.end(),
                                       [&](const auto& n) { return n.first == op; });
        return make(NumberComparison{name->second, operands(std::move(left), std::move(right))});
    }
    const bool strings =
        (a == Type::string || a == Type::nodes) && (b == Type::string || b == Type::nodes);
    if (!strings || (a == Type::nodes && b == Type::nodes) || (op != "=" && op != "!="))
        lexer_.refuse(fmt::format(
            "{} between operands of these types (a number in quotes compares as text)", op));
    if (b == Type::nodes) std::swap(left, right);
    if (std::holds_alternative<StoredElements>(left.node))
        lexer_.refuse(fmt::format("{} of elements", op));
    // The nodes of a set are compared one by one.
    if (type_of(left) != Type::nodes) left = to_string(std::move(left));
    const auto name = op == "=" ? StringComparison::Name::equal : StringComparison::Name::not_equal;
    return make(StringComparison{name, operands(std::move(left), to_string(std::move(right)))});
}

Expression XPathParser::primary() {
    const char next = lexer_.next();
    if (next == '\0') lexer_.refuse_next();
    if (lexer_.accept("(")) {
        Expression e = either();
        if (!lexer_.accept(")")) lexer_.refuse("a missing )");
        return e;
    }
    if (next == '\'' || next == '"') return make(Literal{lexer_.literal()});
    if (next >= '0' && next <= '9') return make(Number{lexer_.number()});
    return path();
}

// 2.5, the abbreviated syntax: . @x x ../@x ../x x/y, and the name of a function, which has a
// parenthesis behind it.
Expression XPathParser::path() {
    if (lexer_.accept("..")) return parent_path();
    if (lexer_.accept(".")) {
        if (!in_for_each()) lexer_.refuse(". outside of xsl:for-each");
        return make(ContextNode{});
    }
    if (lexer_.accept("@")) return attribute(lexer_.name(), !in_for_each());
    const std::string_view word = lexer_.name();
    if (lexer_.accept("(")) return call(word);
    if (in_for_each())
        lexer_.refuse(fmt::format("{0} within xsl:for-each (the record's is ../{0})", word));
    return lexer_.accept("/") ? stored_elements(word) : child(word);
}

Expression XPathParser::parent_path() {
    if (!in_for_each()) lexer_.refuse(".. outside of xsl:for-each");
    if (!lexer_.accept("/")) lexer_.refuse("..");
    if (lexer_.accept("@")) return attribute(lexer_.name(), true);
    const std::string_view word = lexer_.name();
    if (lexer_.accept("(")) lexer_.refuse(fmt::format("../{}()", word));
    return child(word);
}

Expression XPathParser::attribute(std::string_view name, bool of_record) const {
    if (of_record) return make(AttributeNode{slot_of(context_.program.attributes, name)});
    if (context_.kind != ContextKind::child || name != "lang")
        lexer_.refuse(fmt::format("@{0} within xsl:for-each (the record's is ../@{0})", name));
    return make(LanguageNode{});
}

// What is stored as XML: x/*, x/p:name, and either with [p:child = text] or [p:child =
// /records/@metadataNamespace].
Expression XPathParser::stored_elements(std::string_view column) {
    StoredElements out{.slot = slot_of(context_.program.trees, column)};
    if (!lexer_.accept("*")) out.path.element = element_name();
    if (lexer_.accept("[")) {
        out.path.child = element_name();
        lexer_.expect("=");
        out.is_metadata_namespace = lexer_.accept("/");
        if (out.is_metadata_namespace) {
            for (const std::string_view token : {"records", "/", "@", "metadataNamespace"})
                lexer_.expect(token);
        } else {
            out.child_text = lexer_.literal();
        }
        lexer_.expect("]");
    }
    return make(std::move(out));
}

ElementName XPathParser::element_name() {
    std::string local(lexer_.name()), prefix;
    if (!lexer_.accept(":")) return {"", std::move(local)};
    prefix = std::exchange(local, std::string(lexer_.name()));
    const xmlNs* const ns = namespace_of_prefix(context_.node, prefix);
    if (ns == nullptr) lexer_.refuse(fmt::format("the undeclared prefix {}", prefix));
    return {std::string(view(ns->href)), std::move(local)};
}

Expression XPathParser::call(std::string_view name) {
    const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                       [&](const Function& f) { return f.name == name; });
    if (function == kFunctions.end()) lexer_.refuse(fmt::format("{}()", name));
    Expressions arguments;
    if (!lexer_.accept(")")) {
        do {
            Expression e = either();
            arguments.push_back(function->type == Type::boolean ? to_boolean(std::move(e))
                                                                : to_string(std::move(e)));
        } while (lexer_.accept(","));
        if (!lexer_.accept(")")) lexer_.refuse("a missing )");
    }
    if (arguments.size() < function->min_arguments || arguments.size() > function->max_arguments)
        lexer_.refuse(fmt::format("{}() with {} arguments", name, arguments.size()));
    // 4.2: without an argument these take the context node; 4.1: so do position() and last().
    if (arguments.empty()) {
        if (!in_for_each()) lexer_.refuse(fmt::format("{}() of the record", name));
        if (function->max_arguments == 1) arguments.push_back(to_string(make(ContextNode{})));
    }
    if (function->make == make_translate) return make(translate(std::move(arguments)));
    return make(function->make(std::move(arguments)));
}

// The first of a repeated character counts; what has no counterpart goes.
Expression::Node XPathParser::translate(Expressions arguments) const {
    const auto* from_literal = std::get_if<Literal>(&arguments[1].node);
    const auto* to_literal = std::get_if<Literal>(&arguments[2].node);
    if (from_literal == nullptr || to_literal == nullptr)
        lexer_.refuse("translate() without literals");
    const auto from = split_characters(from_literal->text);
    const auto to = split_characters(to_literal->text);
    Translate out{operands(std::move(arguments[0]))};
    for (std::size_t i = 0; i < from.size(); ++i)
        out.replacements.emplace_back(from[i], i < to.size() ? to[i] : "");
    return out;
}

}  // namespace

Expression parse_nodes(std::string_view source, const XPathContext& context) {
    Expression e = XPathParser(source, context).parse();
    if (!std::holds_alternative<AttributeNode>(e.node) &&
        !std::holds_alternative<ChildNodes>(e.node)) {
        refuse(context.node,
               fmt::format("xsl:for-each select=\"{}\": it must be @x, ../@x, x or ../x", source));
    }
    return e;
}

StoredElements parse_stored_elements(std::string_view source, const XPathContext& context) {
    Expression e = XPathParser(source, context).parse();
    auto* const elements = std::get_if<StoredElements>(&e.node);
    if (elements == nullptr)
        refuse(context.node,
               fmt::format("xsl:copy-of select=\"{}\": it must be x/* or x/p:name", source));
    return std::move(*elements);
}

Expression parse_string(std::string_view source, const XPathContext& context) {
    XPathParser parser(source, context);
    return parser.to_string(parser.parse());
}

Expression parse_test(std::string_view source, const XPathContext& context) {
    XPathParser parser(source, context);
    return parser.to_boolean(parser.parse());
}

}  // namespace oai::transform
