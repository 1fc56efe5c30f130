// SPDX-License-Identifier: MIT
// Recursive descent along the grammar of XPath 1.0 (numbers in comments are its sections), as far
// as the subset goes.
#include "transform/xpath_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "transform/ascii.h"
#include "transform/expression_builder.h"
#include "transform/stylesheet_source.h"
#include "transform/xpath_lexer.h"

namespace oai::transform {
namespace {

constexpr std::size_t kMaxExpressionDepth = 64;  // parentheses and calls in each other
constexpr std::size_t kAnyNumber = 99;

// 4: what the subset has of XPath's functions.
struct NamedFunction {
    std::string_view name;
    Builtin function;
    std::size_t min_operands, max_operands;
    XPathType type = XPathType::string;  // of the operands
};
constexpr std::array<NamedFunction, 13> kFunctions = {{
    {"concat", Builtin::concat, 2, kAnyNumber},
    {"translate", Builtin::translate, 3, 3},
    {"normalize-space", Builtin::normalize_space, 0, 1},
    {"substring", Builtin::substring, 2, 3},
    {"substring-before", Builtin::substring_before, 2, 2},
    {"substring-after", Builtin::substring_after, 2, 2},
    {"string", Builtin::string, 0, 1},
    {"string-length", Builtin::string_length, 0, 1},
    {"position", Builtin::position, 0, 0},
    {"last", Builtin::last, 0, 0},
    {"starts-with", Builtin::starts_with, 2, 2},
    {"contains", Builtin::contains, 2, 2},
    {"not", Builtin::negation, 1, 1, XPathType::boolean},
}};

constexpr std::array<Comparison, 6> kComparisons = {{
    {"=", Builtin::same_number, Builtin::any_same_number, Builtin::any_same_number, Builtin::equal,
     Builtin::any_equal},
    {"!=", Builtin::other_number, Builtin::any_other_number, Builtin::any_other_number,
     Builtin::not_equal, Builtin::any_not_equal},
    {"<=", Builtin::less_equal, Builtin::any_less_equal, Builtin::any_greater_equal, {}, {}},
    {">=", Builtin::greater_equal, Builtin::any_greater_equal, Builtin::any_less_equal, {}, {}},
    {"<", Builtin::less, Builtin::any_less, Builtin::any_greater, {}, {}},
    {">", Builtin::greater, Builtin::any_greater, Builtin::any_less, {}, {}},
}};

class XPathParser {
  public:
    XPathParser(std::string_view source, const XPathContext& context)
        : lexer_(source, context.node),
          builder_(context.program, context.node, lexer_),
          context_(context),
          kind_(context.kind) {}

    Expression parse() {
        Expression e = either();
        if (lexer_.next() != '\0') lexer_.refuse_next();
        return e;
    }
    Expression parse_as_string() { return builder_.to_string(parse()); }
    Expression parse_as_boolean() { return builder_.to_boolean(parse()); }

  private:
    Expression column(Column::Kind kind, std::string_view name) {
        ColumnNodes nodes{builder_.slot_of(kind, name), {}};
        if (kind == Column::Kind::children && lexer_.accept("["))
            nodes.filter.push_back(predicate(ContextKind::child));
        return builder_.make(std::move(nodes));
    }
    // Behind its bracket. 2.4: a number is a position.
    Expression predicate(ContextKind kind) {
        const ContextKind outer = std::exchange(kind_, kind);
        Expression e = either();
        kind_ = outer;
        lexer_.expect("]");
        if (type_of(e) != XPathType::number) return builder_.to_boolean(std::move(e));
        return builder_.make_call(Builtin::same_number, builder_.make_call(Builtin::position),
                                  std::move(e));
    }
    bool in_for_each() const {
        return kind_ != ContextKind::record && kind_ != ContextKind::document;
    }

    // 3.4: or binds less than and.
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
    // One operand, or a call of all of them.
    template <class Operand>
    Expression joined(std::string_view word, Builtin function, Operand&& operand) {
        Expression first = operand();
        if (!lexer_.accept_word(word)) return first;
        Call call{function, {}};
        call.operands.push_back(builder_.to_boolean(std::move(first)));
        do call.operands.push_back(builder_.to_boolean(operand()));
        while (lexer_.accept_word(word));
        return builder_.make(std::move(call));
    }

    // = and != bind less than the signs of order.
    Expression comparison(bool of_equality) {
        const auto operand = [&] { return of_equality ? comparison(false) : primary(); };
        Expression left = operand();
        for (const Comparison& c : kComparisons)
            if (c.strings.has_value() == of_equality && lexer_.accept(c.sign))
                return builder_.compare(c, std::move(left), operand());
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
        if (next == '\'' || next == '"') return builder_.make(Literal{lexer_.literal()});
        if (next >= '0' && next <= '9') return builder_.make(Number{lexer_.number()});
        if (lexer_.accept("$")) return variable(std::string(lexer_.name()));
        return path();
    }

    // 3.1. A variable of the stylesheet is its expression, which may refer to nothing.
    Expression variable(const std::string& name) const {
        for (const auto* v = context_.variables; v != nullptr; v = v->outer)
            if (v->name == name) return builder_.make(VariableText{v->slot, v->kind});
        const xmlNode* const global = global_variable(context_.style, name);
        if (kind_ == ContextKind::document || global == nullptr ||
            !is_instruction(global, "variable"))
            lexer_.refuse(fmt::format("${}", name));
        allow_attributes(global, {"name", "select"});
        return parse_string(transform::attribute(global, "select"),
                            {context_.program, ContextKind::document, global, context_.style, {}});
    }

    // 2.5, the abbreviated syntax: . @x x ../@x ../x x/p:y, and the name of a function, which has a
    // parenthesis behind it.
    Expression path() {
        if (kind_ == ContextKind::document) {
            const std::string_view word = lexer_.name();
            if (lexer_.accept("(")) return call(word);
            if (lexer_.accept(":")) return extension(word);
            lexer_.refuse(word);
        }
        if (lexer_.accept("/")) return metadata_namespace();
        if (kind_ == ContextKind::stored) return stored_path();
        const bool is_parent = lexer_.accept("..");
        if (is_parent && !in_for_each()) lexer_.refuse(".. outside of xsl:for-each");
        if (is_parent && !lexer_.accept("/")) lexer_.refuse("..");
        if (!is_parent && lexer_.accept(".")) {
            if (!in_for_each()) lexer_.refuse(". outside of xsl:for-each");
            return builder_.make(ContextNode{});
        }
        const bool of_record = is_parent || !in_for_each();
        if (lexer_.accept("@")) return attribute(lexer_.name(), of_record);
        const std::string_view word = lexer_.name();
        if (lexer_.accept("(")) {
            if (is_parent) lexer_.refuse(fmt::format("../{}()", word));
            return call(word);
        }
        if (!is_parent && lexer_.accept(":")) return extension(word);
        if (!of_record)
            lexer_.refuse(fmt::format("{0} within xsl:for-each (the record's is ../{0})", word));
        if (!is_parent && lexer_.accept("/")) {
            StoredNodes nodes{builder_.slot_of(Column::Kind::trees, word), {}, {}};
            steps(nodes);
            return builder_.make(std::move(nodes));
        }
        return column(Column::Kind::children, word);
    }

    Expression attribute(std::string_view name, bool of_record) {
        if (of_record) return column(Column::Kind::attribute, name);
        if (kind_ != ContextKind::child || name != "lang")
            lexer_.refuse(fmt::format("@{0} within xsl:for-each (the record's is ../@{0})", name));
        return builder_.make(LanguageNode{});
    }

    Expression metadata_namespace() {
        if (context_.program.is_of_document) lexer_.refuse("/");
        for (const std::string_view token : {"records", "/", "@", "metadataNamespace"})
            lexer_.expect(token);
        return builder_.make(MetadataNamespace{});
    }

    // Within an xsl:for-each over stored elements, or a predicate of such: . @x p:x p:x/p:y p:x/@y
    Expression stored_path() {
        StoredNodes nodes;
        if (lexer_.accept("..")) lexer_.refuse("..");
        if (lexer_.accept(".")) return builder_.make(std::move(nodes));
        if (begins_name(lexer_.next())) {
            const std::string_view word = lexer_.name();
            if (lexer_.accept("(")) return call(word);
            const bool has_prefix = lexer_.accept(":");
            if (has_prefix && is_extension(word)) return extension(word);
            step(has_prefix ? element_name(word, lexer_.name()) : element_name("", word), nodes);
            if (!lexer_.accept("/")) return builder_.make(std::move(nodes));
        }
        steps(nodes);
        return builder_.make(std::move(nodes));
    }

    // What is left of a path behind a slash.
    void steps(StoredNodes& nodes) {
        do {
            if (lexer_.accept("@")) {
                nodes.attribute = lexer_.name();
                return;
            }
            if (lexer_.accept("*")) {
                step(std::nullopt, nodes);
                continue;
            }
            const std::string_view word = lexer_.name();
            step(lexer_.accept(":") ? element_name(word, lexer_.name()) : element_name("", word),
                 nodes);
        } while (lexer_.accept("/"));
    }

    void step(std::optional<ElementName> name, StoredNodes& nodes) {
        Step step{std::move(name), {}, false};
        const bool outer = has_last_;
        while (lexer_.accept("[")) {
            if (step.filters.size() == kMaxFilters) lexer_.refuse("so many predicates");
            has_last_ = false;
            step.filters.push_back(predicate(ContextKind::stored));
            if (has_last_ && step.filters.size() > 1) lexer_.refuse("last() in a second predicate");
            step.counts = step.counts || has_last_;
        }
        has_last_ = outer;
        nodes.steps.push_back(std::move(step));
    }

    ElementName element_name(std::string_view prefix, std::string_view local) {
        if (prefix.empty()) return {"", std::string(local)};
        const xmlNs* const ns = namespace_of_prefix(context_.node, std::string(prefix));
        if (ns == nullptr) lexer_.refuse(fmt::format("the undeclared prefix {}", prefix));
        return {std::string(view(ns->href)), std::string(local)};
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
                    builder_.convert(either(), is_number ? XPathType::number : function->type));
            } while (lexer_.accept(","));
            lexer_.expect(")");
        }
        if (operands.size() < function->min_operands || operands.size() > function->max_operands)
            lexer_.refuse(fmt::format("{}() with {} arguments", name, operands.size()));
        // 4.2: without an argument these take the context node; 4.1: so do position() and last().
        if (operands.empty()) {
            if (!in_for_each()) lexer_.refuse(fmt::format("{}() of the record", name));
            has_last_ = has_last_ || function->function == Builtin::last;
            if (function->max_operands == 1) operands.push_back(builder_.to_string(context_node()));
        }
        return builder_.make(Call{function->function, std::move(operands)});
    }

    Expression context_node() const {
        return kind_ == ContextKind::stored ? builder_.make(StoredNodes{})
                                            : builder_.make(ContextNode{});
    }

    bool is_extension(std::string_view prefix) const {
        const xmlNs* const ns = namespace_of_prefix(context_.node, std::string(prefix));
        return ns != nullptr && view(ns->href) == "http://exslt.org/strings";
    }

    // EXSLT: str:replace(string, 'literal', 'literal') and str:encode-uri(string, true()).
    Expression extension(std::string_view prefix) {
        if (!is_extension(prefix)) lexer_.refuse(fmt::format("{}:", prefix));
        const std::string_view name = lexer_.name();
        if (name != "replace" && name != "encode-uri")
            lexer_.refuse(fmt::format("{}:{}()", prefix, name));
        lexer_.expect("(");
        Call call{name == "replace" ? Builtin::replace : Builtin::encode_uri, {}};
        call.operands.push_back(builder_.to_string(either()));
        if (call.function == Builtin::replace) {
            for (int i = 0; i < 2; ++i) {
                lexer_.expect(",");
                call.operands.push_back(builder_.make(Literal{lexer_.literal()}));
            }
            if (std::get<Literal>(call.operands[1].node).text.empty())
                lexer_.refuse("str:replace() of nothing");
        } else {
            for (const std::string_view token : {",", "true", "(", ")"}) lexer_.expect(token);
        }
        lexer_.expect(")");
        return builder_.make(std::move(call));
    }

    Lexer lexer_;
    const ExpressionBuilder builder_;
    const XPathContext& context_;
    ContextKind kind_;  // the context's, and within a predicate that of a child
    std::size_t depth_ = 0;
    bool has_last_ = false;  // the predicate that is read has last() of its own
};

}  // namespace

std::variant<ColumnNodes, StoredNodes> parse_nodes(std::string_view source,
                                                   const XPathContext& context) {
    Expression e = XPathParser(source, context).parse();
    if (auto* const nodes = std::get_if<ColumnNodes>(&e.node)) return std::move(*nodes);
    auto* const nodes = std::get_if<StoredNodes>(&e.node);
    if (nodes == nullptr || nodes->attribute || is_context_node(*nodes))
        refuse(context.node,
               fmt::format("xsl:for-each select=\"{}\": it must be @x, ../@x, x, ../x or x/p:y",
                           source));
    return std::move(*nodes);
}

VariableKind kind_of(const Expression& e) {
    const auto* const variable = std::get_if<VariableText>(&e.node);
    if (variable != nullptr) return variable->kind;
    return type_of(e) == XPathType::string ? VariableKind::string : VariableKind::other;
}

StoredNodes parse_stored_elements(std::string_view source, const XPathContext& context) {
    Expression e = XPathParser(source, context).parse();
    auto* const nodes = std::get_if<StoredNodes>(&e.node);
    if (nodes == nullptr || nodes->attribute)
        refuse(context.node,
               fmt::format("xsl:copy-of select=\"{}\": it must be x/* or x/p:name", source));
    return std::move(*nodes);
}

Expression parse_string(std::string_view source, const XPathContext& context) {
    return XPathParser(source, context).parse_as_string();
}

Expression parse_test(std::string_view source, const XPathContext& context) {
    return XPathParser(source, context).parse_as_boolean();
}

}  // namespace oai::transform
