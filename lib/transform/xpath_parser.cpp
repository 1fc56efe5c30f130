// SPDX-License-Identifier: MIT
// A recursive-descent parser for the subset of XPath 1.0 (numbers in comments are its sections).
// Throws Unsupported (stylesheet_source.h) for everything else.
#include "transform/xpath_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "transform/stylesheet_source.h"

namespace oai::transform {
namespace {

constexpr std::size_t kMaxExpressionDepth = 64;  // nesting of parentheses and calls
constexpr std::size_t kAnyNumber = 99;

enum class XPathType { nodes, string, number, boolean };

// 4: the functions of the subset.
struct NamedFunction {
    std::string_view name;
    Builtin function;
    std::size_t min_operands, max_operands;
    XPathType type = XPathType::string;  // of the operands
};
constexpr std::array<NamedFunction, 12> kFunctions = {{
    {"concat", Builtin::concat, 2, kAnyNumber},
    {"translate", Builtin::translate, 3, 3},
    {"normalize-space", Builtin::normalize_space, 0, 1},
    {"substring", Builtin::substring, 2, 3},
    {"substring-before", Builtin::substring_before, 2, 2},
    {"substring-after", Builtin::substring_after, 2, 2},
    {"string", Builtin::string, 0, 1},
    {"string-length", Builtin::string_length, 0, 1},
    {"position", Builtin::position, 0, 0},
    {"starts-with", Builtin::starts_with, 2, 2},
    {"contains", Builtin::contains, 2, 2},
    {"not", Builtin::negation, 1, 1, XPathType::boolean},
}};

using Sign = Comparison::Sign;
constexpr std::array<std::pair<std::string_view, Sign>, 6> kSigns = {{{"=", Sign::equal},
                                                                      {"!=", Sign::not_equal},
                                                                      {"<=", Sign::less_equal},
                                                                      {">=", Sign::greater_equal},
                                                                      {"<", Sign::less},
                                                                      {">", Sign::greater}}};
constexpr bool is_of_equality(Sign sign) { return sign <= Sign::not_equal; }

XPathType type_of(const Expression& e) {
    if (const auto* call = std::get_if<Call>(&e.node)) {
        return call->function <= Builtin::translate       ? XPathType::string
               : call->function <= Builtin::string_length ? XPathType::number
                                                          : XPathType::boolean;
    }
    if (std::holds_alternative<Comparison>(e.node)) return XPathType::boolean;
    if (std::holds_alternative<Number>(e.node)) return XPathType::number;
    const bool is_string =
        std::holds_alternative<Literal>(e.node) || std::holds_alternative<VariableText>(e.node);
    return is_string ? XPathType::string : XPathType::nodes;
}

bool is_stored(const Expression& e) { return std::holds_alternative<StoredElements>(e.node); }

bool is_variable_other_than(VariableKind kind, VariableKind or_kind, const Expression& e) {
    const auto* const variable = std::get_if<VariableText>(&e.node);
    return variable != nullptr && variable->kind != kind && variable->kind != or_kind;
}

// Splits expressions into tokens and skips blanks between them. Functions throw Unsupported if they
// do not find the expected token, unless stated otherwise.
class Lexer {
  public:
    // `node`: of the stylesheet, for the place in messages.
    Lexer(std::string_view source, const xmlNode* node)
        : source_(source), rest_(source), node_(node) {}

    // Returns false if another token follows.
    bool accept(std::string_view token) {
        if (next() == '\0' || !rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }
    // The same for an operator that is a word; does not accept the beginning of a longer word.
    bool accept_word(std::string_view word) {
        return next() != '\0' && word == take_while(continues_name, false) && accept(word);
    }
    void expect(std::string_view token) {
        if (!accept(token)) refuse_next();
    }
    char next() {  // the first character of the next token; '\0' at the end
        take_while(is_blank, true);
        return rest_.empty() ? '\0' : rest_.front();
    }
    std::string_view name() {
        if (!begins_name(next())) refuse_next();
        return take_while(continues_name, true);
    }
    std::string literal() {
        if (next() != '\'' && next() != '"') refuse_next();
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) refuse("a literal without an end");
        const std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::size_t number() {
        const std::string_view digits = take_while(is_digit, true);
        if (digits.size() > 9 || rest_.starts_with('.'))
            refuse("a number that is large or has a fraction");
        std::size_t number = 0;
        for (const char c : digits) number = number * 10 + static_cast<std::size_t>(c - '0');
        return number;
    }

    [[noreturn]] void refuse(std::string_view what) const {
        transform::refuse(node_, fmt::format("{} in \"{}\"", what, source_));
    }
    [[noreturn]] void refuse_next() const {
        std::size_t end = 1;  // of the character
        while (end < rest_.size() && (rest_[end] & 0xC0) == 0x80) ++end;
        refuse(rest_.empty() ? "an end" : rest_.substr(0, end));
    }

  private:
    std::string_view take_while(bool (*is)(char), bool remove) {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
        const std::string_view taken(rest_.begin(), end);
        if (remove) rest_.remove_prefix(taken.size());
        return taken;
    }

    const std::string_view source_;
    std::string_view rest_;
    const xmlNode* const node_;
};

class XPathParser {
  public:
    XPathParser(std::string_view source, const XPathContext& context)
        : lexer_(source, context.node), context_(context), kind_(context.kind) {}

    Expression parse() {
        Expression e = either();
        if (lexer_.next() != '\0') lexer_.refuse_next();
        return e;
    }
    Expression parse_as_string() { return to_string(parse()); }
    Expression parse_as_boolean() { return to_boolean(parse()); }

  private:
    template <class Node>
    Expression make(Node node) const {
        Expression e{std::move(node), context_.program.points.size()};
        const bool two_ways = type_of(e) == XPathType::boolean;
        context_.program.points.push_back(
            {xmlGetLineNo(context_.node), std::uint8_t(two_ways ? kExecuted | kFalse : 0)});
        return e;
    }
    Expression make_call(Builtin function, Expression operand) const {
        Call call{function, {}};
        call.operands.push_back(std::move(operand));
        return make(std::move(call));
    }
    Expression make_comparison(Sign sign, Comparison::Of of, Expression left,
                               Expression right) const {
        Comparison comparison{sign, of, {}};
        comparison.operands.push_back(std::move(left));
        comparison.operands.push_back(std::move(right));
        return make(std::move(comparison));
    }
    // The index of the column, which is added to the program if necessary.
    std::size_t slot_of(Column::Kind kind, std::string_view name) const {
        std::vector<Column>& columns = context_.program.columns;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].name != name) continue;
            if (columns[i].kind == kind) return i;
            if (kind != Column::Kind::attribute && columns[i].kind != Column::Kind::attribute)
                lexer_.refuse(fmt::format(
                    "{0}, in which elements are looked up, as text (whether it is there: {0}/*)",
                    name));
        }
        columns.push_back({kind, std::string(name)});
        return columns.size() - 1;
    }

    // 4.2
    Expression to_string(Expression e) const {
        if (type_of(e) == XPathType::boolean) lexer_.refuse("a boolean as a string");
        if (is_stored(e)) lexer_.refuse("stored XML as a string");
        if (!std::holds_alternative<Literal>(e.node) && !std::holds_alternative<Number>(e.node))
            context_.program.points[e.point].reachable = kExecuted;
        return e;
    }
    // 4.3
    Expression to_boolean(Expression e) const {
        const XPathType type = type_of(e);
        if (type == XPathType::boolean) return e;
        if (type == XPathType::number || std::holds_alternative<Literal>(e.node) ||
            std::holds_alternative<ContextNode>(e.node))
            lexer_.refuse("a number, a literal or . as a condition");
        if (is_variable_other_than(VariableKind::string, VariableKind::string, e))
            lexer_.refuse("a variable as a condition that is no string");
        if (type == XPathType::nodes) return make_call(Builtin::exists, std::move(e));
        return make_call(Builtin::not_empty, to_string(std::move(e)));
    }
    // Throws Unsupported for the conversion of a string to a number.
    Expression convert(Expression e, XPathType type) const {
        if (type == XPathType::boolean) return to_boolean(std::move(e));
        if (type == XPathType::string) return to_string(std::move(e));
        if (type_of(e) != XPathType::number) lexer_.refuse("a string as a number");
        return e;
    }
    // 3.4. Throws Unsupported for two sets of nodes, a set with a number or boolean, and a string
    // with a number, for which XPath has other rules.
    Expression compare(std::string_view written, Sign sign, Expression left,
                       Expression right) const {
        using Of = Comparison::Of;
        if (type_of(right) == XPathType::nodes && is_of_equality(sign)) std::swap(left, right);
        const XPathType a = type_of(left), b = type_of(right);
        if (a == XPathType::number && b == XPathType::number)
            return make_comparison(sign, Of::numbers, std::move(left), std::move(right));
        const bool of_nodes = a == XPathType::nodes && !is_stored(left);
        if (!is_of_equality(sign) || !(of_nodes || a == XPathType::string) ||
            b != XPathType::string ||
            is_variable_other_than(VariableKind::string, VariableKind::tree, left) ||
            is_variable_other_than(VariableKind::string, VariableKind::tree, right))
            lexer_.refuse(fmt::format(
                "{} between operands of these types (a number in quotes compares as text)",
                written));
        if (!of_nodes) left = to_string(std::move(left));
        return make_comparison(sign, of_nodes ? Of::nodes_and_string : Of::strings, std::move(left),
                               to_string(std::move(right)));
    }

    Expression column(Column::Kind kind, std::string_view name) {
        ColumnNodes nodes{slot_of(kind, name), {}};
        if (kind == Column::Kind::children && lexer_.accept("["))
            nodes.filter.push_back(predicate());
        return make(std::move(nodes));
    }
    // Parses a predicate after its bracket. 2.4: a number is a position.
    Expression predicate() {
        const ContextKind outer = std::exchange(kind_, ContextKind::child);
        Expression e = either();
        kind_ = outer;
        lexer_.expect("]");
        if (type_of(e) != XPathType::number) return to_boolean(std::move(e));
        return make_comparison(Sign::equal, Comparison::Of::numbers,
                               make(Call{Builtin::position, {}}), std::move(e));
    }
    bool in_for_each() const {
        return kind_ != ContextKind::record && kind_ != ContextKind::document;
    }

    // 3.4: `or` has a lower precedence than `and`.
    Expression either() {
        if (++depth_ > kMaxExpressionDepth) lexer_.refuse("an expression of more than 64 levels");
        Expression e = joined("or", Builtin::disjunction, [this] { return both(); });
        --depth_;
        return e;
    }
    Expression both() {
        return joined(
            "and", Builtin::conjunction, [this] { return comparison(true); });
    }
    // Parses operands separated by an operator: a single operand, or a Call of all.
    template <class Operand>
    Expression joined(std::string_view word, Builtin function, Operand&& operand) {
        Expression first = operand();
        if (!lexer_.accept_word(word)) return first;
        Call call{function, {}};
        call.operands.push_back(to_boolean(std::move(first)));
        do call.operands.push_back(to_boolean(operand()));
        while (lexer_.accept_word(word));
        return make(std::move(call));
    }

    // = and != have a lower precedence than < <= > >=.
    Expression comparison(bool of_equality) {
        const auto operand = [&] { return of_equality ? comparison(false) : primary(); };
        Expression left = operand();
        for (const auto& [written, sign] : kSigns)
            if (is_of_equality(sign) == of_equality && lexer_.accept(written))
                return compare(written, sign, std::move(left), operand());
        return left;
    }

    Expression primary() {
        const char next = lexer_.next();
        if (next == '\0') lexer_.refuse_next();
        if (lexer_.accept("(")) {
            Expression e = either();
            lexer_.expect(")");
            return e;
        }
        if (next == '\'' || next == '"') return make(Literal{lexer_.literal()});
        if (next >= '0' && next <= '9') return make(Number{lexer_.number()});
        if (lexer_.accept("$")) return variable(std::string(lexer_.name()));
        return path();
    }

    // 3.1. A variable of the stylesheet is replaced by its expression, without nodes.
    Expression variable(const std::string& name) const {
        for (const auto* v = context_.variables; v != nullptr; v = v->outer)
            if (v->name == name) return make(VariableText{v->slot, v->kind});
        const xmlNode* const global = global_variable(context_.style, name);
        if (kind_ == ContextKind::document || global == nullptr ||
            !is_instruction(global, "variable"))
            lexer_.refuse(fmt::format("${}", name));
        allow_attributes(global, {"name", "select"});
        return parse_string(transform::attribute(global, "select"),
                            {context_.program, ContextKind::document, global, context_.style, {}});
    }

    // 2.5, the abbreviated syntax: . @x x ../@x ../x x/*, and the name of a function.
    Expression path() {
        if (kind_ == ContextKind::document) {
            const std::string_view word = lexer_.name();
            if (lexer_.accept("(")) return call(word);
            lexer_.refuse(word);
        }
        const bool is_parent = lexer_.accept("..");
        if (is_parent && !in_for_each()) lexer_.refuse(".. outside of xsl:for-each");
        if (is_parent && !lexer_.accept("/")) lexer_.refuse("..");
        if (!is_parent && lexer_.accept(".")) {
            if (!in_for_each()) lexer_.refuse(". outside of xsl:for-each");
            return make(ContextNode{});
        }
        const bool of_record = is_parent || !in_for_each();
        if (lexer_.accept("@")) return attribute(lexer_.name(), of_record);
        const std::string_view word = lexer_.name();
        if (lexer_.accept("(")) {
            if (is_parent) lexer_.refuse(fmt::format("../{}()", word));
            return call(word);
        }
        if (!is_parent && lexer_.accept(":")) lexer_.refuse(fmt::format("{}:", word));
        if (!of_record)
            lexer_.refuse(fmt::format("{0} within xsl:for-each (the record's is ../{0})", word));
        if (!is_parent && lexer_.accept("/")) {
            if (!lexer_.accept("*")) lexer_.refuse(fmt::format("a path behind {}/", word));
            return make(StoredElements{slot_of(Column::Kind::trees, word), child_of_stored()});
        }
        return column(Column::Kind::children, word);
    }

    Expression attribute(std::string_view name, bool of_record) {
        if (of_record) return column(Column::Kind::attribute, name);
        if (kind_ != ContextKind::child || name != "lang")
            lexer_.refuse(fmt::format("@{0} within xsl:for-each (the record's is ../@{0})", name));
        return make(LanguageNode{});
    }

    // Parses [p:y = /records/@metadataNamespace] if it follows x/*.
    std::optional<ElementName> child_of_stored() {
        if (!lexer_.accept("[")) return std::nullopt;
        const std::string prefix(lexer_.name());
        lexer_.expect(":");
        ElementName name{"", std::string(lexer_.name())};
        for (const std::string_view token :
             {"=", "/", "records", "/", "@", "metadataNamespace", "]"})
            lexer_.expect(token);
        auto* const node = const_cast<xmlNode*>(context_.node);
        const xmlNs* const ns = xmlSearchNs(node->doc, node, xml::xml_chars(prefix.c_str()));
        if (ns == nullptr) lexer_.refuse(fmt::format("the undeclared prefix {}", prefix));
        name.name_space = view(ns->href);
        return name;
    }

    Expression call(std::string_view name) {
        const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                           [&](const NamedFunction& f) { return f.name == name; });
        if (function == kFunctions.end()) lexer_.refuse(fmt::format("{}()", name));
        Expressions operands;
        if (!lexer_.accept(")")) {
            do {
                const bool is_number = name == "substring" && !operands.empty();
                operands.push_back(
                    convert(either(), is_number ? XPathType::number : function->type));
            } while (lexer_.accept(","));
            lexer_.expect(")");
        }
        if (operands.size() < function->min_operands || operands.size() > function->max_operands)
            lexer_.refuse(fmt::format("{}() with {} arguments", name, operands.size()));
        // 4.2: without an argument these take the context node; 4.1: so does position().
        if (operands.empty()) {
            if (!in_for_each()) lexer_.refuse(fmt::format("{}() of the record", name));
            if (function->max_operands == 1) operands.push_back(to_string(make(ContextNode{})));
        }
        return make(Call{function->function, std::move(operands)});
    }

    Lexer lexer_;
    const XPathContext& context_;
    ContextKind kind_;  // the context's, and within a predicate that of a child
    std::size_t depth_ = 0;
};

}  // namespace

ColumnNodes parse_nodes(std::string_view source, const XPathContext& context) {
    Expression e = XPathParser(source, context).parse();
    auto* const nodes = std::get_if<ColumnNodes>(&e.node);
    if (nodes == nullptr)
        refuse(context.node,
               fmt::format("xsl:for-each select=\"{}\": it must be @x, ../@x, x or ../x", source));
    return std::move(*nodes);
}

VariableKind kind_of(const Expression& e) {
    const auto* const variable = std::get_if<VariableText>(&e.node);
    if (variable != nullptr) return variable->kind;
    return type_of(e) == XPathType::string ? VariableKind::string : VariableKind::other;
}

StoredElements parse_stored_elements(std::string_view source, const XPathContext& context) {
    const Expression e = XPathParser(source, context).parse();
    const auto* const elements = std::get_if<StoredElements>(&e.node);
    if (elements == nullptr)
        refuse(context.node, fmt::format("xsl:copy-of select=\"{}\": it must be x/*", source));
    return *elements;
}

Expression parse_string(std::string_view source, const XPathContext& context) {
    return XPathParser(source, context).parse_as_string();
}

Expression parse_test(std::string_view source, const XPathContext& context) {
    return XPathParser(source, context).parse_as_boolean();
}

}  // namespace oai::transform
