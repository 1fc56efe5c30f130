// SPDX-License-Identifier: MIT
// Recursive descent along the grammar of XPath 1.0 (numbers in comments are its sections), as far as the subset goes.
#include "xml/emit_xpath.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace oai::xml {
namespace {

using Kind = Expression::Kind;
enum class Type { nodes, string, number, boolean };

constexpr std::size_t kDeepest = 64;  // parentheses and calls in each other

Type type_of(Kind kind) {
    if (kind <= Kind::lang) return Type::nodes;
    if (kind <= Kind::substring_after) return Type::string;
    return kind <= Kind::string_length ? Type::number : Type::boolean;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '-' || c == '.'; }

std::size_t slot_of(std::vector<std::string>& names, std::string_view name) {
    const auto slot = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (slot == names.size()) names.emplace_back(name);
    return slot;
}

std::vector<std::string> split_characters(std::string_view utf8) {
    std::vector<std::string> out;
    for (const char c : utf8) {
        if ((c & 0xC0) != 0x80) out.emplace_back();
        if (!out.empty()) out.back() += c;
    }
    return out;
}

template <class... E>
std::vector<Expression> operands(E... e) {
    std::vector<Expression> out;
    (out.push_back(std::move(e)), ...);
    return out;
}

class Parser {
  public:
    Parser(std::string_view source, const XPathContext& context) : source_(source), rest_(source), context_(context) {}

    Expression whole();
    Expression to_string(Expression e);
    Expression to_boolean(Expression e);

  private:
    struct Function {
        std::string_view name;
        Kind kind;
        std::size_t least, most;  // arguments
        Type type;                // of the arguments
    };
    static const std::array<Function, 12> kFunctions;

    Expression logical(Kind kind);
    Expression equality();
    Expression relation();
    Expression primary();
    Expression path();
    Expression attribute(std::string_view name, bool of_record);
    Expression call(std::string_view name);
    Expression finish_call(const Function& function, std::vector<Expression> arguments);
    Expression compare(std::string_view op, Expression left, Expression right);
    Expression literal();
    Expression make(Kind kind, std::vector<Expression> arguments = {});
    void want(const Expression& e, std::uint8_t bits) { context_.emission.points[e.point].wanted = bits; }

    void skip_blanks();
    bool accept(std::string_view token);
    bool accept_word(std::string_view word);
    std::string_view name();
    [[noreturn]] void refuse(std::string_view what) const { throw Unsupported(fmt::format("{} in \"{}\"", what, source_)); }
    [[noreturn]] void refuse_next() const { refuse(rest_.empty() ? "an end" : split_characters(rest_).front()); }

    const std::string_view source_;
    std::string_view rest_;
    const XPathContext& context_;
    std::size_t depth_ = 0;
};

const std::array<Parser::Function, 12> Parser::kFunctions = {{
    {"concat", Kind::concat, 2, 99, Type::string},
    {"translate", Kind::translate, 3, 3, Type::string},
    {"normalize-space", Kind::normalize_space, 0, 1, Type::string},
    {"substring-before", Kind::substring_before, 2, 2, Type::string},
    {"substring-after", Kind::substring_after, 2, 2, Type::string},
    {"string", Kind::string, 0, 1, Type::string},
    {"string-length", Kind::string_length, 0, 1, Type::string},
    {"position", Kind::position, 0, 0, Type::string},
    {"last", Kind::last, 0, 0, Type::string},
    {"starts-with", Kind::starts_with, 2, 2, Type::string},
    {"contains", Kind::contains, 2, 2, Type::string},
    {"not", Kind::negation, 1, 1, Type::boolean},
}};

void Parser::skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

bool Parser::accept(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
}

// An operator that is a word, and not the beginning of a longer one.
bool Parser::accept_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word) || (rest_.size() > word.size() && continues_name(rest_[word.size()]))) return false;
    rest_.remove_prefix(word.size());
    return true;
}

std::string_view Parser::name() {
    skip_blanks();
    const std::string_view begin = rest_;
    if (rest_.empty() || !begins_name(rest_.front())) refuse_next();
    while (!rest_.empty() && continues_name(rest_.front())) rest_.remove_prefix(1);
    return begin.substr(0, begin.size() - rest_.size());
}

Expression Parser::make(Kind kind, std::vector<Expression> arguments) {
    const bool two_ways = type_of(kind) == Type::boolean;
    std::vector<Point>& points = context_.emission.points;
    points.push_back({context_.line, std::string(source_), static_cast<std::uint8_t>(two_ways ? kDone | kNot : 0)});
    Expression e{.kind = kind, .arguments = std::move(arguments)};
    e.point = points.size() - 1;
    return e;
}

Expression Parser::whole() {
    Expression e = logical(Kind::either);
    skip_blanks();
    if (!rest_.empty()) refuse_next();
    return e;
}

Expression Parser::to_string(Expression e) {
    if (type_of(e.kind) == Type::boolean) refuse("a boolean as a string");
    if (e.kind != Kind::literal && e.kind != Kind::number) want(e, kDone);
    return e;
}

Expression Parser::to_boolean(Expression e) {
    switch (type_of(e.kind)) {
        case Type::boolean:
            return e;
        case Type::nodes:
            if (e.kind == Kind::self) refuse(". as a condition, which is always true,");
            return make(Kind::exists, operands(std::move(e)));
        case Type::string:
            if (e.kind == Kind::literal) refuse("a literal as a condition");
            return make(Kind::not_empty, operands(to_string(std::move(e))));
        case Type::number:
            break;
    }
    refuse("a number as a condition");
}

// 3.4: or binds less than and; both are left-associative.
Expression Parser::logical(Kind kind) {
    const bool outer = kind == Kind::either;
    if (outer && ++depth_ > kDeepest) refuse("an expression of more than 64 levels");
    Expression left = outer ? logical(Kind::both) : equality();
    while (accept_word(outer ? "or" : "and")) {
        Expression right = outer ? logical(Kind::both) : equality();
        left = make(kind, operands(to_boolean(std::move(left)), to_boolean(std::move(right))));
    }
    if (outer) --depth_;
    return left;
}

Expression Parser::equality() {
    Expression left = relation();
    for (const std::string_view op : {"=", "!="}) {
        if (accept(op)) return compare(op, std::move(left), relation());
    }
    return left;
}

Expression Parser::relation() {
    Expression left = primary();
    for (const std::string_view op : {"<=", ">=", "<", ">"}) {
        if (accept(op)) return compare(op, std::move(left), primary());
    }
    return left;
}

// 3.4. Of two sets of nodes, of a set with a number or a boolean, and of a string with a number the rules are others.
Expression Parser::compare(std::string_view op, Expression left, Expression right) {
    static constexpr std::array<std::pair<std::string_view, Kind>, 6> kNumeric = {{
        {"=", Kind::number_equal}, {"!=", Kind::number_not_equal}, {"<", Kind::less}, {"<=", Kind::less_equal},
        {">", Kind::greater},      {">=", Kind::greater_equal},
    }};
    const Type a = type_of(left.kind);
    const Type b = type_of(right.kind);
    if (a == Type::number && b == Type::number) {
        const auto kind = std::find_if(kNumeric.begin(), kNumeric.end(), [&](const auto& n) { return n.first == op; });
        return make(kind->second, operands(std::move(left), std::move(right)));
    }
    const bool strings = (a == Type::string || a == Type::nodes) && (b == Type::string || b == Type::nodes);
    if (!strings || (a == Type::nodes && b == Type::nodes) || (op != "=" && op != "!=")) {
        refuse(fmt::format("{} between operands of these types (a number in quotes compares as text)", op));
    }
    if (b == Type::nodes) std::swap(left, right);
    // A set of nodes is asked node by node.
    if (type_of(left.kind) != Type::nodes) left = to_string(std::move(left));
    return make(op == "=" ? Kind::equal : Kind::not_equal, operands(std::move(left), to_string(std::move(right))));
}

Expression Parser::primary() {
    skip_blanks();
    if (rest_.empty()) refuse_next();
    if (accept("(")) {
        Expression e = logical(Kind::either);
        if (!accept(")")) refuse("a missing )");
        return e;
    }
    if (rest_.front() == '\'' || rest_.front() == '"') return literal();
    if (is_digit(rest_.front())) {
        Expression e = make(Kind::number);
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + std::min<std::size_t>(rest_.size(), 9),
                                                  e.number);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        if (error != std::errc() || (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.'))) {
            refuse("a number that is large or has a fraction");
        }
        return e;
    }
    return path();
}

Expression Parser::literal() {
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) refuse("a literal without an end");
    Expression e = make(Kind::literal);
    e.text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return e;
}

// 2.5, the abbreviated syntax: . @x x ../@x ../x, and a function's name, which has a parenthesis behind it.
Expression Parser::path() {
    const bool inside = context_.stand != Stand::record;
    if (accept("..")) {
        if (!inside) refuse(".. outside of xsl:for-each");
        if (!accept("/")) refuse("..");
        if (accept("@")) return attribute(name(), true);
    } else if (accept(".")) {
        if (!inside) refuse(". outside of xsl:for-each");
        return make(Kind::self);
    } else if (accept("@")) {
        return attribute(name(), !inside);
    } else {
        const std::string_view word = name();
        if (accept("(")) return call(word);
        if (inside) refuse(fmt::format("{} within xsl:for-each (the record's is ../{})", word, word));
        Expression e = make(Kind::child);
        e.slot = slot_of(context_.emission.children, word);
        return e;
    }
    const std::string_view word = name();
    if (accept("(")) refuse(fmt::format("../{}()", word));
    Expression e = make(Kind::child);
    e.slot = slot_of(context_.emission.children, word);
    return e;
}

Expression Parser::attribute(std::string_view name, bool of_record) {
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

Expression Parser::call(std::string_view name) {
    const auto function = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& f) { return f.name == name; });
    if (function == kFunctions.end()) refuse(fmt::format("{}()", name));
    std::vector<Expression> arguments;
    if (!accept(")")) {
        do {
            Expression e = logical(Kind::either);
            arguments.push_back(function->type == Type::boolean ? to_boolean(std::move(e)) : to_string(std::move(e)));
        } while (accept(","));
        if (!accept(")")) refuse("a missing )");
    }
    if (arguments.size() < function->least || arguments.size() > function->most) {
        refuse(fmt::format("{}() with {} arguments", name, arguments.size()));
    }
    return finish_call(*function, std::move(arguments));
}

Expression Parser::finish_call(const Function& function, std::vector<Expression> arguments) {
    const bool inside = context_.stand != Stand::record;
    // 4.2: without an argument these take the node that the expression stands on; 4.1: so do position() and last().
    if (arguments.empty()) {
        if (!inside) refuse(fmt::format("{}() of the record", function.name));
        if (function.most == 1) arguments.push_back(to_string(make(Kind::self)));
    }
    Expression e = make(function.kind, std::move(arguments));
    if (function.kind == Kind::translate) {
        // The first of a repeated character counts; what has no counterpart goes.
        if (e.arguments[1].kind != Kind::literal || e.arguments[2].kind != Kind::literal) {
            refuse("translate() without literals");
        }
        const auto from = split_characters(e.arguments[1].text);
        const auto to = split_characters(e.arguments[2].text);
        for (std::size_t i = 0; i < from.size(); ++i) {
            e.replacements.emplace_back(from[i], i < to.size() ? to[i] : "");
        }
    }
    return e;
}

}  // namespace

Expression parse_nodes(std::string_view source, const XPathContext& context) {
    Expression e = Parser(source, context).whole();
    if (e.kind != Kind::attribute && e.kind != Kind::child) {
        throw Unsupported(fmt::format("xsl:for-each select=\"{}\": it must be @x, ../@x, x or ../x", source));
    }
    return e;
}

Expression parse_string(std::string_view source, const XPathContext& context) {
    Parser parser(source, context);
    return parser.to_string(parser.whole());
}

Expression parse_test(std::string_view source, const XPathContext& context) {
    Parser parser(source, context);
    return parser.to_boolean(parser.whole());
}

}  // namespace oai::xml
