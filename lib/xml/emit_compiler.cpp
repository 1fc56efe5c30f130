// SPDX-License-Identifier: MIT
// Walks the stylesheet as libxslt keeps it after its own compilation: whitespace is stripped, xsl:text has become text,
// excluded namespaces are gone. Comments name the function of libxslt whose outcome is foreseen.
#include "xml/emit_compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "xml/emit_xpath.h"
#include "xml/escape.h"

namespace oai::xml {
namespace {

using Operations = std::vector<Operation>;
using Kind = Operation::Kind;

constexpr int kDeepest = 100;  // elements in each other

std::string_view view(const xmlChar* s) {
    return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

bool is_xslt(const xmlNode* node) { return node->ns != nullptr && xmlStrEqual(node->ns->href, XSLT_NAMESPACE); }

bool is_blank(std::string_view s) { return s.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// A namespace declaration that the result has in force; "" is the default namespace, or none.
struct Declaration {
    std::string prefix, uri;
};
using Scope = std::vector<Declaration>;

const Declaration* in_force(const Scope& scope, std::string_view prefix) {
    const auto found = std::find_if(scope.rbegin(), scope.rend(), [&](const auto& d) { return d.prefix == prefix; });
    return found == scope.rend() ? nullptr : &*found;
}

std::string qualified(const xmlNs* ns, const xmlChar* name) {
    return ns == nullptr || ns->prefix == nullptr ? std::string(view(name))
                                                  : fmt::format("{}:{}", view(ns->prefix), view(name));
}

// Where something stands in the result.
struct Place {
    Stand stand = Stand::record;
    bool in_attribute = false;          // only text may come
    const Scope* scope = nullptr;       // of the element around it
    bool parent_has_namespace = false;  // that element is in one
    int depth = 0;
};

class Compiler {
  public:
    Compiler(const Stylesheet& stylesheet, const std::string& root_namespace)
        : stylesheet_(stylesheet), root_namespace_(root_namespace) {}

    Compilation compile();

  private:
    struct Refusal {
        long line;
        std::string what;
    };
    // What an element's start tag is made of.
    struct Start {
        std::string declarations;
        Scope scope;          // with those of the element itself
        std::size_t own = 0;  // where they begin
        bool has_namespace = false;
    };

    void check_top_level();
    void check_output(const xmlNode* output);
    const xmlNode* root_of_template();

    void add_content(const xmlNode* first, const Place& place, Operations& out);
    void add_node(const xmlNode* node, const Place& place, Operations& out);
    void add_text(const xmlNode* node, const Place& place, Operations& out);
    void add_markup(std::string text, Operations& out);
    void add_value(const xmlNode* node, const Place& place, Operations& out);
    void add_each(const xmlNode* node, const Place& place, Operations& out);
    void add_choose(const xmlNode* node, const Place& place, Operations& out);
    Operation::Branch branch(const xmlNode* node, bool with_test, const Place& place);
    Operation literal_element(const xmlNode* node, const Place& place, bool is_root = false);
    Operation named_element(const xmlNode* node, const Place& place);
    Operation finish_element(const xmlNode* node, const std::string& name, Start start, Operations attributes,
                             const Place& place);
    void add_literal_attribute(const xmlAttr* attribute, Start& start, const Place& place, Operations& out);
    void add_template(std::string_view source, const Place& place, Operations& out);
    Operation named_attribute(const xmlNode* node, const Place& place);

    bool makes_attributes(const xmlNode* node);
    void note_attribute(const xmlNode* node, std::string_view name);
    void declare(Start& start, std::string_view prefix, std::string_view uri);
    void acquire(const xmlNode* node, Start& start, const xmlNs* ns);

    std::string attribute(const xmlNode* node, const char* name) const;
    void allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names) const;
    XPathContext xpath(const Place& place) { return {emission_, place.stand, line_}; }
    Operation make(Kind kind, std::string what, std::uint8_t wanted = kDone);
    [[noreturn]] void refuse(const xmlNode* node, std::string what) const { throw Refusal{xmlGetLineNo(node), std::move(what)}; }

    const Stylesheet& stylesheet_;
    const std::string& root_namespace_;
    Emission emission_;
    long line_ = 0;  // of the node at work
    std::vector<std::string> attribute_names_;  // of the element at work
};

Operation Compiler::make(Kind kind, std::string what, std::uint8_t wanted) {
    emission_.points.push_back({line_, std::move(what), wanted});
    Operation operation{.kind = kind};
    operation.point = emission_.points.size() - 1;
    return operation;
}

std::string Compiler::attribute(const xmlNode* node, const char* name) const {
    const xmlAttr* found = xmlHasNsProp(node, reinterpret_cast<const xmlChar*>(name), nullptr);
    if (found == nullptr) refuse(node, fmt::format("{} without {}", view(node->name), name));
    return found->children == nullptr ? std::string() : std::string(view(found->children->content));
}

void Compiler::allow_attributes(const xmlNode* node, std::initializer_list<std::string_view> names) const {
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const bool known = a->ns == nullptr && std::find(names.begin(), names.end(), view(a->name)) != names.end();
        const bool space = a->ns != nullptr && view(a->ns->prefix) == "xml";  // libxslt has heeded it already
        if (!known && !space) refuse(node, fmt::format("{} of xsl:{}", qualified(a->ns, a->name), view(node->name)));
    }
}

void Compiler::check_top_level() {
    const xmlNode* sheet = xmlDocGetRootElement(stylesheet_.document());
    if (!is_xslt(sheet)) refuse(sheet, "a stylesheet that is a literal element");
    allow_attributes(sheet, {"version", "exclude-result-prefixes"});
    if (attribute(sheet, "version") != "1.0") refuse(sheet, "a version other than 1.0");
    for (const xmlNode* node = sheet->children; node != nullptr; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || !is_xslt(node)) continue;
        const std::string_view name = view(node->name);
        if (name == "output") {
            check_output(node);
        } else if (name != "template") {
            refuse(node, fmt::format("xsl:{} at the top", name));
        }
    }
}

// What changes how the result would be written. (This program writes it itself in any case.)
void Compiler::check_output(const xmlNode* output) {
    allow_attributes(output, {"method", "version", "encoding", "omit-xml-declaration", "standalone", "media-type", "indent"});
    static constexpr std::array<std::array<std::string_view, 3>, 3> kAllowed = {{
        {"method", "xml", "xml"}, {"encoding", "UTF-8", "utf-8"}, {"indent", "no", "no"},
    }};
    for (const auto& [name, value, other] : kAllowed) {
        if (xmlHasNsProp(output, reinterpret_cast<const xmlChar*>(name.data()), nullptr) == nullptr) continue;
        const std::string given = attribute(output, name.data());
        if (given != value && given != other) refuse(output, fmt::format("xsl:output {}=\"{}\"", name, given));
    }
}

const xmlNode* Compiler::root_of_template() {
    const xsltTemplate* found = stylesheet_.handle()->templates;
    const xmlNode* sheet = xmlDocGetRootElement(stylesheet_.document());
    if (found == nullptr) refuse(sheet, "a stylesheet without templates");
    if (found->next != nullptr) refuse(found->next->elem, "a second xsl:template");
    allow_attributes(found->elem, {"match"});
    if (view(found->match) != "record") refuse(found->elem, fmt::format("match=\"{}\"", view(found->match)));
    const xmlNode* root = nullptr;
    for (const xmlNode* node = found->elem->children; node != nullptr; node = node->next) {
        if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) continue;
        if (root != nullptr || node->type != XML_ELEMENT_NODE || is_xslt(node)) {
            refuse(node, "something other than one literal element in the template");
        }
        root = node;
    }
    if (root == nullptr) refuse(found->elem, "an empty template");
    if (root->ns == nullptr || view(root->ns->href) != root_namespace_) {
        refuse(root, "a root element of another namespace");
    }
    return root;
}

void Compiler::add_content(const xmlNode* first, const Place& place, Operations& out) {
    for (const xmlNode* node = first; node != nullptr; node = node->next) {
        line_ = xmlGetLineNo(node);
        add_node(node, place, out);
    }
}

void Compiler::add_node(const xmlNode* node, const Place& place, Operations& out) {
    static constexpr std::array<std::pair<std::string_view, void (Compiler::*)(const xmlNode*, const Place&, Operations&)>, 4>
        kInstructions = {{{"value-of", &Compiler::add_value}, {"for-each", &Compiler::add_each},
                          {"if", &Compiler::add_choose}, {"choose", &Compiler::add_choose}}};
    if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE) return;
    if (node->type == XML_TEXT_NODE) return add_text(node, place, out);
    if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
    if (place.depth > kDeepest) refuse(node, "more than 100 levels");
    const std::string_view name = view(node->name);
    if (is_xslt(node)) {
        for (const auto& [instruction, add] : kInstructions) {
            if (instruction == name) return (this->*add)(node, place, out);
        }
    }
    if (is_xslt(node) && name != "element") refuse(node, fmt::format("xsl:{} here", name));
    if (place.in_attribute) refuse(node, "an element within an attribute");
    out.push_back(is_xslt(node) ? named_element(node, place) : literal_element(node, place));
}

void Compiler::add_text(const xmlNode* node, const Place& place, Operations& out) {
    if (node->name == xmlStringTextNoenc) refuse(node, "disable-output-escaping");
    std::string text;
    place.in_attribute ? append_attribute(text, view(node->content)) : append_text(text, view(node->content));
    add_markup(std::move(text), out);
}

void Compiler::add_markup(std::string text, Operations& out) {
    if (text.empty()) return;
    Operation markup = make(Kind::text, "text");
    markup.text = std::move(text);
    out.push_back(std::move(markup));
}

void Compiler::add_value(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    if (node->children != nullptr) refuse(node, "content of xsl:value-of");
    Operation value = make(Kind::value, "xsl:value-of");
    value.expression = parse_string(attribute(node, "select"), xpath(place));
    value.in_attribute = place.in_attribute;
    out.push_back(std::move(value));
}

void Compiler::add_each(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    const Expression nodes = parse_nodes(attribute(node, "select"), xpath(place));
    const bool single = nodes.kind == Expression::Kind::attribute;
    Operation each = single ? make(Kind::each_attribute, "xsl:for-each") : make(Kind::each_child, "xsl:for-each", kDone | kSeveral);
    each.slot = nodes.slot;
    Place inside = place;
    inside.stand = single ? Stand::attribute : Stand::entry;
    ++inside.depth;
    add_content(node->children, inside, each.body);
    out.push_back(std::move(each));
}

Operation::Branch Compiler::branch(const xmlNode* node, bool with_test, const Place& place) {
    Place inside = place;
    ++inside.depth;
    line_ = xmlGetLineNo(node);
    Operation::Branch out{.test = {}, .body = {}, .point = make(Kind::text, "xsl:" + std::string(view(node->name))).point};
    if (with_test) {
        allow_attributes(node, {"test"});
        out.test = parse_test(attribute(node, "test"), xpath(place));
    } else {
        allow_attributes(node, {});
    }
    add_content(node->children, inside, out.body);
    return out;
}

void Compiler::add_choose(const xmlNode* node, const Place& place, Operations& out) {
    Operation choose = make(Kind::choose, "xsl:choose", 0);
    if (view(node->name) == "if") {
        choose.branches.push_back(branch(node, true, place));
        out.push_back(std::move(choose));
        return;
    }
    allow_attributes(node, {});
    for (const xmlNode* when = node->children; when != nullptr; when = when->next) {
        if (when->type != XML_ELEMENT_NODE) continue;
        choose.branches.push_back(branch(when, view(when->name) == "when", place));
    }
    out.push_back(std::move(choose));
}

// xmlNewNs on the element, unless it has one of that prefix.
void Compiler::declare(Start& start, std::string_view prefix, std::string_view uri) {
    start.declarations += prefix.empty() ? " xmlns" : fmt::format(" xmlns:{}", prefix);
    start.declarations += "=\"";
    append_attribute(start.declarations, uri);
    start.declarations += '"';
    start.scope.push_back({std::string(prefix), std::string(uri)});
}

// xsltGetSpecialNamespace for the element itself or an attribute: declares what is not in force.
void Compiler::acquire(const xmlNode* node, Start& start, const xmlNs* ns) {
    if (ns == nullptr || view(ns->prefix) == "xml") return;
    const Declaration* known = in_force(start.scope, view(ns->prefix));
    if (known != nullptr && known->uri == view(ns->href)) return;
    if (known != nullptr && known >= start.scope.data() + start.own) {
        refuse(node, fmt::format("two namespaces for the prefix {}", view(ns->prefix)));
    }
    declare(start, view(ns->prefix), view(ns->href));
}

// xsltShallowCopyElem, then (of the root) the namespaces of the template, then xsltAttrListTemplateProcess.
Operation Compiler::literal_element(const xmlNode* node, const Place& place, bool is_root) {
    line_ = xmlGetLineNo(node);
    Start start{.declarations = {}, .scope = *place.scope, .own = place.scope->size(), .has_namespace = node->ns != nullptr};
    for (const xmlNs* ns = node->nsDef; ns != nullptr; ns = ns->next) {
        if (view(ns->href).empty()) refuse(node, "xmlns=\"\"");
        const Declaration* known = in_force(start.scope, view(ns->prefix));
        const bool redundant = known != nullptr && known->uri == view(ns->href);
        if (!redundant && !xmlStrEqual(ns->href, XSLT_NAMESPACE)) declare(start, view(ns->prefix), view(ns->href));
    }
    if (node->ns != nullptr) {
        acquire(node, start, node->ns);
    } else if (place.parent_has_namespace && in_force(start.scope, "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    const xsltTemplate* around = stylesheet_.handle()->templates;
    for (int i = 0; is_root && i < around->inheritedNsNr; ++i) {
        const xmlNs* ns = around->inheritedNs[i];
        const Declaration* known = in_force(start.scope, view(ns->prefix));
        if (known != nullptr && known->uri != view(ns->href)) refuse(node, "a prefix that is declared twice");
        if (known == nullptr) declare(start, view(ns->prefix), view(ns->href));
    }
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    Operations attributes;
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        add_literal_attribute(a, start, place, attributes);
    }
    Operation out = finish_element(node, qualified(node->ns, node->name), std::move(start), std::move(attributes), place);
    attribute_names_ = outer;
    return out;
}

void Compiler::add_literal_attribute(const xmlAttr* attribute, Start& start, const Place& place, Operations& out) {
    const xmlNode* element = attribute->parent;
    const std::string name = qualified(attribute->ns, attribute->name);
    if (attribute->ns != nullptr && xmlStrEqual(attribute->ns->href, XSLT_NAMESPACE)) refuse(element, name);
    note_attribute(element, name);
    acquire(element, start, attribute->ns);
    Place inside = place;
    inside.in_attribute = true;
    add_markup(fmt::format(" {}=\"", name), out);
    add_template(attribute->children == nullptr ? "" : view(attribute->children->content), inside, out);
    add_markup("\"", out);
}

// An attribute value template (XSLT 7.6.2).
void Compiler::add_template(std::string_view source, const Place& place, Operations& out) {
    std::string text;
    while (!source.empty()) {
        const std::size_t plain = std::min(source.find_first_of("{}"), source.size());
        append_attribute(text, source.substr(0, plain));
        source.remove_prefix(plain);
        if (source.starts_with("{{") || source.starts_with("}}")) {
            text += source.front();
            source.remove_prefix(2);
        } else if (source.starts_with("{")) {
            const std::size_t end = source.find('}');
            const std::string_view inside = source.substr(1, end == std::string_view::npos ? end : end - 1);
            if (end == std::string_view::npos || inside.find('{') != std::string_view::npos || is_blank(inside)) {
                throw Unsupported(fmt::format("the attribute value template \"{}\"", source));
            }
            add_markup(std::exchange(text, {}), out);
            Operation value = make(Kind::value, "{" + std::string(inside) + "}");
            value.expression = parse_string(inside, xpath(place));
            value.in_attribute = true;
            out.push_back(std::move(value));
            source.remove_prefix(end + 1);
        } else if (!source.empty()) {
            throw Unsupported("a single } in an attribute value template");
        }
    }
    add_markup(std::move(text), out);
}

// xsltElement.
Operation Compiler::named_element(const xmlNode* node, const Place& place) {
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}") != std::string::npos) refuse(node, fmt::format("xsl:element name=\"{}\"", name));
    const std::size_t colon = name.find(':');
    const std::string prefix = colon == std::string::npos ? "" : name.substr(0, colon);
    const auto* wanted = prefix.empty() ? nullptr : reinterpret_cast<const xmlChar*>(prefix.c_str());
    const xmlNs* ns = xmlSearchNs(node->doc, const_cast<xmlNode*>(node), wanted);
    if (ns == nullptr && !prefix.empty()) refuse(node, fmt::format("the undeclared prefix of {}", name));
    Start start{.declarations = {}, .scope = *place.scope, .own = place.scope->size(), .has_namespace = ns != nullptr};
    if (ns != nullptr) {
        acquire(node, start, ns);
    } else if (place.parent_has_namespace && in_force(start.scope, "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    Operation out = finish_element(node, name, std::move(start), {}, place);
    attribute_names_ = outer;
    return out;
}

// Instructions at the beginning that make attributes, and then the content, which must make none.
Operation Compiler::finish_element(const xmlNode* node, const std::string& name, Start start, Operations attributes,
                                   const Place& place) {
    Operation element = make(Kind::element, "<" + name + ">");
    element.text = fmt::format("<{}{}", name, start.declarations);
    element.end = fmt::format("</{}>", name);
    element.head = std::move(attributes);
    Place inside{.stand = place.stand, .scope = &start.scope, .parent_has_namespace = start.has_namespace,
                 .depth = place.depth + 1};
    const xmlNode* child = node->children;
    for (; child != nullptr; child = child->next) {
        line_ = xmlGetLineNo(child);
        if (child->type == XML_COMMENT_NODE || child->type == XML_PI_NODE) continue;
        if (!makes_attributes(child)) break;
        element.head.push_back(named_attribute(child, inside));
    }
    add_content(child, inside, element.body);
    return element;
}

bool Compiler::makes_attributes(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && is_xslt(node) && 
           (view(node->name) == "attribute" ||
            (view(node->name) == "if" && node->children != nullptr && node->children->next == nullptr &&
             makes_attributes(node->children)));
}

// xsl:attribute, or one within xsl:if.
Operation Compiler::named_attribute(const xmlNode* node, const Place& place) {
    line_ = xmlGetLineNo(node);
    if (view(node->name) == "if") {
        allow_attributes(node, {"test"});
        Operation choose = make(Kind::choose, "xsl:if", 0);
        Operation::Branch only{.test = parse_test(attribute(node, "test"), xpath(place)), .body = {},
                               .point = make(Kind::text, "xsl:if").point};
        only.body.push_back(named_attribute(node->children, place));
        choose.branches.push_back(std::move(only));
        return choose;
    }
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}:") != std::string::npos) refuse(node, fmt::format("xsl:attribute name=\"{}\"", name));
    note_attribute(node, name);
    Operation out = make(Kind::attribute, "xsl:attribute");
    out.text = fmt::format(" {}=\"", name);
    Place inside = place;
    inside.in_attribute = true;
    ++inside.depth;
    add_content(node->children, inside, out.body);
    return out;
}

void Compiler::note_attribute(const xmlNode* node, std::string_view name) {
    if (std::find(attribute_names_.begin(), attribute_names_.end(), name) != attribute_names_.end()) {
        refuse(node, fmt::format("the attribute {} twice", name));
    }
    attribute_names_.emplace_back(name);
}

Compilation Compiler::compile() {
    try {
        check_top_level();
        const Scope nothing;
        const Place top{.scope = &nothing};
        emission_.operations.push_back(literal_element(root_of_template(), top, true));
        simplify(emission_);
        return {.emission = std::move(emission_), .why_not = {}};
    } catch (const Refusal& refusal) {
        return {.emission = {}, .why_not = fmt::format("{}:{}: {}", stylesheet_.path(), refusal.line, refusal.what)};
    } catch (const Unsupported& unsupported) {
        return {.emission = {}, .why_not = fmt::format("{}:{}: {}", stylesheet_.path(), line_, unsupported.what())};
    }
}

}  // namespace

Compilation compile_emission(const Stylesheet& stylesheet, const std::string& root_namespace) {
    return Compiler(stylesheet, root_namespace).compile();
}

}  // namespace oai::xml
