// SPDX-License-Identifier: MIT
#include "transform/scope.h"

#include <fmt/format.h>
#include <libxslt/imports.h>

#include <algorithm>
#include <array>
#include <vector>

#include "transform/ascii.h"
#include "transform/stylesheet_source.h"

namespace oai::transform {
namespace {

constexpr std::array<std::string_view, 8> kAxesBeyond = {
    "ancestor",  "ancestor-or-self",  "following", "following-sibling",
    "preceding", "preceding-sibling", "parent",    "namespace"};
// evaluate: of EXSLT, whose expression is not known before it runs.
constexpr std::array<std::string_view, 4> kFunctionsBeyond = {"key", "id", "generate-id",
                                                              "evaluate"};
constexpr std::array<std::string_view, 4> kOperators = {"and", "or", "div", "mod"};
// Where they are not in a predicate, they may count records.
constexpr std::array<std::string_view, 2> kPlaces = {"position", "last"};
// What the records stand in has the same attributes for all of them.
constexpr std::string_view kParentsAttribute = "../@";
constexpr std::size_t kShown = 60;  // bytes of an expression
// The one path from the root that is the same for all records (disseminate() in format.h).
constexpr std::string_view kOfAll = "/records/@metadataNamespace";

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The part from there up to a blank or bracket, to be shown.
std::string_view shown(std::string_view from) {
    return from.substr(0, std::min(from.find_first_of(" \t\r\n[])|,=", 1), from.size()));
}

// Whether a slash behind this character begins a path, rather than a further step.
bool begins_path(char before) {
    return before == '\0' || std::string_view("([|,=<>+-{").find(before) != std::string_view::npos;
}

// Whether an expression is the same everywhere: literals, numbers, variables and functions of them.
// A function without arguments, but for two, is about the context node.
class ConstantReader {
  public:
    explicit ConstantReader(std::string_view expression) : rest_(expression) {}

    bool read() {
        while (true) {
            while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
            if (rest_.empty()) return true;
            if (!take()) return false;
        }
    }

  private:
    bool take() {
        const char c = rest_.front();
        if (c == '\'' || c == '"') return take_literal(c);
        if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1])))
            return take_number();
        if (c == '$' || begins_name(c)) return take_name(c == '$');
        const bool is_product = c == '*' && is_operand_;
        if (!is_product && std::string_view("(),+-=<>!|").find(c) == std::string_view::npos)
            return false;
        is_operand_ = c == ')';
        rest_.remove_prefix(1);
        return true;
    }
    bool take_literal(char quote) {
        const std::size_t end = rest_.find(quote, 1);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
        return is_operand_ = true;
    }
    bool take_number() {
        while (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.'))
            rest_.remove_prefix(1);
        return is_operand_ = true;
    }
    bool take_name(bool is_variable) {
        std::size_t end = 1;
        while (end < rest_.size() && (continues_name(rest_[end]) || rest_[end] == ':')) ++end;
        const std::string_view name = rest_.substr(0, end);
        rest_.remove_prefix(end);
        const bool is_operator = !is_variable && is_operand_ && is_one_of(kOperators, name);
        is_operand_ = is_variable;
        if (is_variable || is_operator) return true;
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
        if (!rest_.starts_with('(')) return false;
        const std::size_t argument = rest_.find_first_not_of(" \t\r\n", 1);
        const bool has_none = argument != rest_.npos && rest_[argument] == ')';
        return !has_none || name == "true" || name == "false";
    }

    std::string_view rest_;
    bool is_operand_ = false;  // what was taken last, so that an operator may follow
};

bool is_constant(std::string_view expression) { return ConstantReader(expression).read(); }

// Goes through the words of an expression. places: whether position() and last() may count records;
// in a predicate they count the nodes of a step.
class ExpressionReader {
  public:
    ExpressionReader(std::string_view expression, bool places)
        : source_(expression), places_(places) {}

    std::string_view find() {
        while (at_ < source_.size()) {
            const std::string_view found = take();
            if (!found.empty()) return found;
        }
        return {};
    }

  private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }
    std::string_view rest() const { return source_.substr(at_); }

    // Takes one word or sign; returns what looks beyond the record, if it is that.
    std::string_view take() {
        const char c = peek();
        if (c == '\'' || c == '"') return skip_literal(), std::string_view();
        if (begins_name(c)) return take_name();
        if (c == '/') {
            const bool is_path = begins_path(before_) || is_operator_;
            if (peek(1) == '/' || (is_path && !rest().starts_with(kOfAll))) return shown(rest());
            if (is_path) at_ += kOfAll.size() - 1;
        }
        if (c == '.' && peek(1) == '.') {
            if (!rest().starts_with(kParentsAttribute)) return shown(rest());
            at_ += kParentsAttribute.size() - 1;  // to the sign of the attribute
        }
        predicates_ += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (!is_blank(c)) before_ = c, is_operator_ = false;
        ++at_;
        return {};
    }

    void skip_literal() {
        const std::size_t end = source_.find(peek(), at_ + 1);
        at_ = end == source_.npos ? source_.size() : end + 1;
        before_ = '\'', is_operator_ = false;
    }

    std::string_view take_name() {
        const std::size_t begin = at_;
        while (continues_name(peek()) || static_cast<unsigned char>(peek()) >= 0x80) ++at_;
        const std::string_view name = source_.substr(begin, at_ - begin);
        const bool is_variable = before_ == '$' || before_ == '@';
        // A word between two operands is an operator (XPath 1.0, 3.7), and a path may follow it.
        is_operator_ = is_one_of(kOperators, name);
        before_ = 'n';
        std::size_t next = at_;
        while (next < source_.size() && is_blank(source_[next])) ++next;
        const std::string_view behind = source_.substr(next);
        if (is_variable) return {};
        if (behind.starts_with("::")) return is_one_of(kAxesBeyond, name) ? shown_from(begin) : "";
        if (!behind.starts_with('(')) return {};
        const bool counts = places_ && predicates_ == 0 && is_one_of(kPlaces, name);
        return counts || is_one_of(kFunctionsBeyond, name) ? shown_from(begin) : "";
    }
    std::string_view shown_from(std::size_t begin) const { return shown(source_.substr(begin)); }

    const std::string_view source_;
    const bool places_;
    std::size_t at_ = 0;
    char before_ = '\0';  // the last character that is no blank; 'n' of a name
    bool is_operator_ = false;
    int predicates_ = 0;
};

std::string_view value_of(const xmlAttr* attribute) {
    return attribute->children == nullptr ? std::string_view() : view(attribute->children->content);
}

// What an attribute value template (XSLT 1.0, 7.6.2) has in braces.
std::vector<std::string_view> in_braces(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
        if (text.substr(at + 1).starts_with('{')) {
            ++at;
            continue;
        }
        const std::size_t end = std::min(text.find('}', at), text.size());
        parts.push_back(text.substr(at + 1, end - at - 1));
        at = end;
    }
    return parts;
}

bool has_ancestor(const xmlNode* node, std::string_view name) {
    for (; node != nullptr && node->type == XML_ELEMENT_NODE; node = node->parent)
        if (is_xslt(node) && view(node->name) == name) return true;
    return false;
}

// Of a variable or parameter of the whole stylesheet, which is evaluated at the root.
bool is_global(const xmlNode* node) {
    for (const xmlNode* up = node; up != nullptr && up->type == XML_ELEMENT_NODE; up = up->parent)
        if (is_xslt(up) && (view(up->name) == "variable" || view(up->name) == "param") &&
            up->parent == xmlDocGetRootElement(up->doc))
            return true;
    return false;
}

bool is_expression(const xmlNode* node, std::string_view attribute) {
    static constexpr std::array<std::string_view, 7> kExpressions = {
        "select", "test", "match", "use", "value", "count", "from"};
    return is_xslt(node) && is_one_of(kExpressions, attribute);
}

std::string_view part_of_expression(const xmlNode* node, std::string_view name,
                                    std::string_view expression) {
    if (expression.empty()) return {};
    if (is_global(node) && !expression.starts_with(kOfAll) && !is_constant(expression))
        return expression;
    // A pattern counts siblings in its predicates, and "records" holds them all.
    const bool is_pattern = name == "match" || name == "count" || name == "from";
    if (is_pattern && (expression.starts_with("records") ||
                       (expression.starts_with("record[") && view(node->name) == "template")))
        return expression;
    const bool places = !has_ancestor(node->parent, "for-each");
    return part_beyond_record(expression, places);
}

std::string_view part_of_element(const xmlNode* node) {
    if (is_xslt(node) && view(node->name) == "number" &&
        xmlHasNsProp(node, reinterpret_cast<const xmlChar*>("value"), nullptr) == nullptr)
        return "xsl:number";
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const std::string_view name = view(a->name);
        if (is_expression(node, name)) {
            const std::string_view part = part_of_expression(node, name, value_of(a));
            if (!part.empty()) return part;
            continue;
        }
        for (const std::string_view expression : in_braces(value_of(a))) {
            const std::string_view part = part_of_expression(node, name, expression);
            if (!part.empty()) return part;
        }
    }
    return {};
}

std::string place_in(const xmlDoc* document) {
    const xmlNode* const root = xmlDocGetRootElement(document);
    for (const xmlNode* node = root; node != nullptr;) {
        if (node->type == XML_ELEMENT_NODE) {
            const std::string_view part = part_of_element(node);
            if (!part.empty())
                return fmt::format("{}:{}: {}", view(document->URL), xmlGetLineNo(node),
                                   part.substr(0, kShown));
        }
        if (node->type == XML_ELEMENT_NODE && node->children != nullptr) {
            node = node->children;
            continue;
        }
        while (node != root && node->next == nullptr) node = node->parent;
        node = node == root ? nullptr : node->next;
    }
    return "";
}

}  // namespace

std::string_view part_beyond_record(std::string_view expression, bool counts_records) {
    return ExpressionReader(expression, counts_records).find();
}

std::string place_beyond_record(const Stylesheet& stylesheet) {
    auto* sheet = const_cast<xsltStylesheet*>(stylesheet.handle());
    for (; sheet != nullptr; sheet = xsltNextImport(sheet)) {
        std::string place = place_in(sheet->doc);
        for (const xsltDocument* included = sheet->docList; place.empty() && included != nullptr;
             included = included->next)
            place = place_in(included->doc);
        if (!place.empty()) return place;
    }
    return "";
}

}  // namespace oai::transform
