// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <libxslt/imports.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>
#include <vector>

#include "transform/ascii.h"
#include "transform/compiler.h"
#include "transform/stylesheet_source.h"

namespace oai::transform {
namespace {

constexpr std::size_t kShown = 60;       // bytes of an expression
constexpr std::size_t kMaxRead = 2'000;  // of a longer one nothing is known
// The one path from the root that is the same for all records (disseminate() in format.h).
constexpr std::string_view kOfAll = "/records/@metadataNamespace";

// The part from there up to a blank or bracket, to be shown.
std::string_view shown(std::string_view from) {
    return from.substr(0, std::min(from.find_first_of(" \t\r\n[])|,=", 1), from.size()));
}

// The expression with a # for each byte of a literal, of the name of a variable or attribute and of
// the path of all records, and a + for a minus that is no part of a name, so that names and signs
// in it are those of XPath. As long as that.
std::string signs_of(std::string_view expression) {
    std::string out(expression);
    for (char& c : out)
        if ((c & 0x80) != 0) c = 'x';
    for (std::size_t at = 0; at < out.size(); ++at) {
        const char c = out[at];
        std::size_t end = at + 1;
        if (c == '\'' || c == '"')
            end = std::min(out.find(c, at + 1), out.size() - 1) + 1;
        else if (expression.substr(at).starts_with(kOfAll))
            end = at + kOfAll.size();
        else if (c == '$' || c == '@' || begins_name(c))
            while (end < out.size() && continues_name(out[end])) ++end;
        else if (c == '-')
            out[at] = '+';
        for (std::size_t i = c == '@' ? at + 1 : at; !begins_name(c) && end > at + 1 && i < end;
             ++i)
            out[i] = '#';
        at = end - 1;
    }
    return out;
}

// In the signs of an expression: // and .. but for ../@x; a path from the root; an axis up or
// aside; a function that finds other nodes. evaluate() is EXSLT's, whose expression is not known
// before.
const std::regex& beyond() {
    static const std::regex expression(
        R"x((//|\.\.(?!/@))|(?:^|[(\[|,=<>+{]|(?:^|[^A-Za-z_.-])(?:and|or|div|mod))\s*(/)|)x"
        R"x((?:^|[^\w.-])()x"
        R"x((?:ancestor(?:-or-self)?|(?:following|preceding)(?:-sibling)?|parent|namespace)\s*::|)x"
        R"x((?:key|id|generate-id|evaluate)\s*\())x");
    return expression;
}

// Whether an expression is the same everywhere: literals, numbers, variables and functions of them.
// A function without arguments, but for two, is about the context node.
bool is_constant(std::string_view expression) {
    static const std::array<std::pair<std::regex, const char*>, 4> kConstants = {{
        {std::regex(R"((^|[^\w.:])(?:\d+(?:\.\d*)?|\.\d+))"), "$1#"},
        {std::regex(R"(\b(?:true|false)\s*\(\s*\))"), "#"},
        {std::regex(R"(([#)]\s*)(?:\*|(?:and|or|div|mod)(?![\w.:(-])))"), "$1+"},
        {std::regex(R"([A-Za-z_][\w.:-]*\s*\((?!\s*\)))"), "("},
    }};
    if (expression.size() > kMaxRead) return false;
    std::string rest = signs_of(expression);
    for (const auto& [part, sign] : kConstants) rest = std::regex_replace(rest, part, sign);
    return rest.find_first_not_of("#(),+-=<>!| \t\r\n") == rest.npos;
}

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
    return is_xslt(node) && std::ranges::find(kExpressions, attribute) != kExpressions.end();
}

// Whether a step that a record may match has a predicate.
bool has_predicate_of_record(std::string_view pattern) {
    static const std::regex predicate(R"((?:record|[*)])\[)");
    return std::regex_search(pattern.begin(), pattern.end(), predicate);
}

std::string_view part_of_expression(const xmlNode* node, std::string_view name,
                                    std::string_view expression) {
    if (expression.empty()) return {};
    if (is_global(node) && !expression.starts_with(kOfAll) && !is_constant(expression))
        return expression;
    // A pattern counts siblings in its predicates, and "records" holds them all.
    const bool is_pattern = name == "match" || name == "count" || name == "from";
    if (is_pattern && (expression.starts_with("records") ||
                       (view(node->name) == "template" && has_predicate_of_record(expression))))
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
    if (expression.size() > kMaxRead) return expression.substr(0, kShown);
    std::string signs = signs_of(expression);
    std::smatch found;
    if (std::regex_search(signs, found, beyond()))
        for (const std::size_t group : {1, 2, 3})
            if (found[group].matched)
                return shown(expression.substr(static_cast<std::size_t>(found.position(group))));
    if (!counts_records) return {};
    // In a predicate these count the nodes of a step.
    int predicates = 0;
    for (char& c : signs) {
        predicates += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (predicates > 0) c = '#';
    }
    static const std::regex kPlaces(R"((?:^|[^\w.-])((?:position|last)\s*\())");
    return std::regex_search(signs, found, kPlaces)
               ? shown(expression.substr(static_cast<std::size_t>(found.position(1))))
               : std::string_view();
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
