// SPDX-License-Identifier: MIT
// Recursive descent along the grammar of XPath 1.0 (numbers in comments are its sections), as far as the subset goes.
#include "xml/emit_xpath.h"

#include <fmt/format.h>

#include <utility>

#include "xml/emit_expression.h"
#include "xml/emit_lexer.h"

namespace oai::xml {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t kDeepest = 64;  // parentheses and calls in each other

class Parser {
  public:
    Parser(std::string_view source, const XPathContext& context)
        : lexer_(source), make_(source, context), node_(context.node), inside_(context.stand != Stand::record) {}

    Expression whole();
    Expression string() { return make_.to_string(whole()); }
    Expression test() { return make_.to_boolean(whole()); }

  private:
    Expression logical(Kind kind);
    Expression equality();
    Expression relation();
    Expression primary();
    Expression path();
    Expression tree(std::string_view column);
    ElementName element_name();
    Expression call(std::string_view name);

    XPathLexer lexer_;
    ExpressionMaker make_;
    const xmlNode* const node_;
    const bool inside_;  // an xsl:for-each
    std::size_t depth_ = 0;
};

Expression Parser::whole() {
    Expression e = logical(Kind::either);
    lexer_.want_end();
    return e;
}

// 3.4: or binds less than and; both are left-associative.
Expression Parser::logical(Kind kind) {
    const bool outer = kind == Kind::either;
    if (outer && ++depth_ > kDeepest) lexer_.refuse("an expression of more than 64 levels");
    Expression left = outer ? logical(Kind::both) : equality();
    while (lexer_.accept_word(outer ? "or" : "and")) {
        Expression right = outer ? logical(Kind::both) : equality();
        left = make_.make(kind, operands(make_.to_boolean(std::move(left)), make_.to_boolean(std::move(right))));
    }
    if (outer) --depth_;
    return left;
}

Expression Parser::equality() {
    Expression left = relation();
    for (const std::string_view op : {"=", "!="}) {
        if (lexer_.accept(op)) return make_.compare(op, std::move(left), relation());
    }
    return left;
}

Expression Parser::relation() {
    Expression left = primary();
    for (const std::string_view op : {"<=", ">=", "<", ">"}) {
        if (lexer_.accept(op)) return make_.compare(op, std::move(left), primary());
    }
    return left;
}

Expression Parser::primary() {
    const char next = lexer_.next();
    if (next == '\0') lexer_.refuse_next();
    if (lexer_.accept("(")) {
        Expression e = logical(Kind::either);
        if (!lexer_.accept(")")) lexer_.refuse("a missing )");
        return e;
    }
    if (next == '\'' || next == '"') {
        std::string text = lexer_.literal();
        Expression e = make_.make(Kind::literal);
        e.text = std::move(text);
        return e;
    }
    if (next < '0' || next > '9') return path();
    Expression e = make_.make(Kind::number);
    e.number = lexer_.number();
    return e;
}

// 2.5, the abbreviated syntax: . @x x ../@x ../x x/y, and a function's name, which has a parenthesis behind it.
Expression Parser::path() {
    if (lexer_.accept("..")) {
        if (!inside_) lexer_.refuse(".. outside of xsl:for-each");
        if (!lexer_.accept("/")) lexer_.refuse("..");
        if (lexer_.accept("@")) return make_.attribute(lexer_.name(), true);
    } else if (lexer_.accept(".")) {
        if (!inside_) lexer_.refuse(". outside of xsl:for-each");
        return make_.make(Kind::self);
    } else if (lexer_.accept("@")) {
        return make_.attribute(lexer_.name(), !inside_);
    } else {
        const std::string_view word = lexer_.name();
        if (lexer_.accept("(")) return call(word);
        if (!inside_ && lexer_.accept("/")) return tree(word);
        if (inside_) lexer_.refuse(fmt::format("{} within xsl:for-each (the record's is ../{})", word, word));
        return make_.child(word);
    }
    const std::string_view word = lexer_.name();
    if (lexer_.accept("(")) lexer_.refuse(fmt::format("../{}()", word));
    return make_.child(word);
}

// What is stored as XML: x/*, x/p:name, and either with [p:child = text] or [p:child = /records/@metadataNamespace].
Expression Parser::tree(std::string_view column) {
    TreePath path;
    std::string text;
    bool of_metadata_namespace = false;
    if (!lexer_.accept("*")) path.element = element_name();
    if (lexer_.accept("[")) {
        path.child = element_name();
        lexer_.want("=");
        of_metadata_namespace = lexer_.accept("/");
        if (of_metadata_namespace) {
            for (const std::string_view token : {"records", "/", "@", "metadataNamespace"}) lexer_.want(token);
        } else {
            text = lexer_.literal();
        }
        lexer_.want("]");
    }
    Expression e = make_.tree(column, std::move(path));
    e.text = std::move(text);
    e.of_metadata_namespace = of_metadata_namespace;
    return e;
}

ElementName Parser::element_name() {
    std::string local(lexer_.name()), prefix;
    if (!lexer_.accept(":")) return {"", std::move(local)};
    prefix = std::exchange(local, std::string(lexer_.name()));
    const auto* const wanted = reinterpret_cast<const xmlChar*>(prefix.c_str());
    const xmlNs* const ns = xmlSearchNs(node_->doc, const_cast<xmlNode*>(node_), wanted);
    if (ns == nullptr) lexer_.refuse(fmt::format("the undeclared prefix {}", prefix));
    return {reinterpret_cast<const char*>(ns->href), std::move(local)};
}

Expression Parser::call(std::string_view name) {
    const ExpressionMaker::Function& function = make_.function(name);
    std::vector<Expression> arguments;
    if (!lexer_.accept(")")) {
        do {
            Expression e = logical(Kind::either);
            arguments.push_back(function.type == XPathType::boolean ? make_.to_boolean(std::move(e)) : make_.to_string(std::move(e)));
        } while (lexer_.accept(","));
        if (!lexer_.accept(")")) lexer_.refuse("a missing )");
    }
    return make_.call(function, std::move(arguments));
}

}  // namespace

Expression parse_nodes(std::string_view source, const XPathContext& context) {
    Expression e = Parser(source, context).whole();
    if (e.kind != Kind::attribute && e.kind != Kind::child) {
        throw Unsupported(fmt::format("xsl:for-each select=\"{}\": it must be @x, ../@x, x or ../x", source));
    }
    return e;
}

Expression parse_tree(std::string_view source, const XPathContext& context) {
    Expression e = Parser(source, context).whole();
    if (e.kind != Kind::tree) throw Unsupported(fmt::format("xsl:copy-of select=\"{}\": it must be x/* or x/p:name", source));
    return e;
}

Expression parse_string(std::string_view source, const XPathContext& context) {
    return Parser(source, context).string();
}

Expression parse_test(std::string_view source, const XPathContext& context) {
    return Parser(source, context).test();
}

}  // namespace oai::xml
