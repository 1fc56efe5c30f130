// SPDX-License-Identifier: MIT
// Comments name the function of libxslt whose outcome is foreseen.
#include "transform/compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "transform/start_tag.h"
#include "transform/stylesheet_source.h"
#include "transform/xpath_parser.h"
#include "xml/escape.h"

namespace oai::transform {
namespace {

constexpr int kMaxDepth = 100;     // elements in each other
constexpr int kMaxNodes = 20'000;  // imported templates may stand in a program several times

const Scope kNoScope;

// Where in the result something stands.
struct Place {
    const xsltTemplate* rule;     // the template at work
    bool is_template_top = true;  // directly in it: its namespaces go onto elements
    ContextKind context = ContextKind::record;
    bool in_attribute = false;          // only text may come
    const Scope* scope = &kNoScope;     // of the element around it
    bool parent_has_namespace = false;  // that element is in one
    int depth = 0;

    Place inside() const {
        Place out = *this;
        out.is_template_top = false;
        ++out.depth;
        return out;
    }
};

bool is_blank(std::string_view s) {
    return s.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool is_ignored(const xmlNode* node) {
    return node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE;
}

bool always_writes(const Operations& operations) {
    return std::any_of(operations.begin(), operations.end(), [](const Operation& o) {
        return std::holds_alternative<Text>(o.node) || std::holds_alternative<Element>(o.node);
    });
}

// An xsl:attribute, or one within xsl:if.
bool makes_attributes(const xmlNode* node) {
    return node->type == XML_ELEMENT_NODE && is_xslt(node) &&
           (view(node->name) == "attribute" ||
            (view(node->name) == "if" && node->children != nullptr &&
             node->children->next == nullptr && makes_attributes(node->children)));
}

// Neighbouring texts are one.
void add_text(std::string text, Operations& out) {
    if (text.empty()) return;
    if (auto* before = out.empty() ? nullptr : std::get_if<Text>(&out.back().node)) {
        before->text += text;
    } else {
        out.push_back({Text{std::move(text)}});
    }
}

void add_all(Operations from, Operations& out) {
    auto first = from.begin();
    auto* before = out.empty() ? nullptr : std::get_if<Text>(&out.back().node);
    if (before != nullptr && first != from.end() && std::holds_alternative<Text>(first->node)) {
        before->text += std::get<Text>(first->node).text;
        ++first;
    }
    out.insert(out.end(), std::make_move_iterator(first), std::make_move_iterator(from.end()));
}

class Compiler {
  public:
    Compiler(const Stylesheet& stylesheet, const std::string& root_namespace)
        : stylesheet_(stylesheet), root_namespace_(root_namespace) {}

    Compilation compile();

  private:
    // Adds what a branch holds: content, or the record's element.
    using AddBody = std::function<void(const xmlNode* branch, Operations& out)>;

    void add_record(const xmlNode* parent, const Place& place, Operations& out);
    void add_content(const xmlNode* first, const Place& place, Operations& out);
    void add_node(const xmlNode* node, const Place& place, Operations& out);
    void add_instruction(const xmlNode* node, const Place& place, Operations& out);
    void add_text_node(const xmlNode* node, const Place& place, Operations& out);
    void add_value(const xmlNode* node, const Place& place, Operations& out);
    void add_for_each(const xmlNode* node, const Place& place, Operations& out);
    CopyElements copy_of(const xmlNode* node, const Place& place);
    void add_imported(const xmlNode* node, const Place& place, Operations& out);
    void add_if(const xmlNode* node, const Place& place, const AddBody& add_body, Operations& out);
    void add_choose(const xmlNode* node, const Place& place, const AddBody& add_body,
                    Operations& out);
    Branch branch(const xmlNode* node, bool has_test, const Place& place, const AddBody& add_body);
    void add_or_fall_back(const xmlNode* branch, const AddBody& add_body, Operations& out);

    void add_literal_element(const xmlNode* node, const Place& place, Operations& out);
    void inherit(const xmlNode* node, const xsltTemplate* rule, StartTag& start) const;
    void add_named_element(const xmlNode* node, const Place& place, Operations& out);
    void finish_element(const xmlNode* node, const std::string& name, const StartTag& start,
                        Operations attributes, const Place& place, Operations& out);
    void add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place,
                               Operations& out);
    void add_value_template(const xmlNode* node, std::string_view source, const Place& place,
                            Operations& out);
    void add_named_attribute(const xmlNode* node, const Place& place, Operations& out);
    void note_attribute(const xmlNode* node, std::string_view name);

    Operation make(const xmlNode* node, Operation::Node operation, std::string what,
                   std::uint8_t reachable = kExecuted) {
        return {std::move(operation), add_point(node, std::move(what), reachable)};
    }
    std::size_t add_point(const xmlNode* node, std::string what, std::uint8_t reachable);
    std::string where(const Unsupported& unsupported) const;
    XPathContext xpath(const xmlNode* node, const Place& place) {
        return {program_, place.context, node};
    }

    const Stylesheet& stylesheet_;
    const std::string& root_namespace_;
    Program program_;
    int nodes_ = 0;                             // compiled so far
    std::vector<std::string> attribute_names_;  // of the element at work
};

std::size_t Compiler::add_point(const xmlNode* node, std::string what, std::uint8_t reachable) {
    program_.points.push_back({xmlGetLineNo(node), std::move(what), reachable});
    return program_.points.size() - 1;
}

void Compiler::add_content(const xmlNode* first, const Place& place, Operations& out) {
    for (const xmlNode* node = first; node != nullptr; node = node->next)
        if (!is_ignored(node)) add_node(node, place, out);
}

void Compiler::add_node(const xmlNode* node, const Place& place, Operations& out) {
    if (node->type == XML_TEXT_NODE) return add_text_node(node, place, out);
    if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
    if (place.depth > kMaxDepth) refuse(node, "more than 100 levels");
    if (++nodes_ > kMaxNodes) refuse(node, "more than 20,000 nodes");
    if (is_xslt(node)) return add_instruction(node, place, out);
    if (place.in_attribute) refuse(node, "an element within an attribute");
    add_literal_element(node, place, out);
}

void Compiler::add_instruction(const xmlNode* node, const Place& place, Operations& out) {
    const std::string_view name = view(node->name);
    const Place inside = place.inside();
    const AddBody add_body = [&](const xmlNode* branch, Operations& body) {
        add_content(branch->children, inside, body);
    };
    if (name == "value-of") return add_value(node, place, out);
    if (name == "for-each") return add_for_each(node, place, out);
    if (name == "if") return add_if(node, place, add_body, out);
    if (name == "choose") return add_choose(node, place, add_body, out);
    if (name == "apply-imports") return add_imported(node, place, out);
    if (name != "element" && name != "copy-of") refuse(node, fmt::format("xsl:{} here", name));
    if (place.in_attribute) refuse(node, "an element within an attribute");
    if (name == "element") return add_named_element(node, place, out);
    out.push_back(make(node, copy_of(node, place), "xsl:copy-of"));
}

void Compiler::add_text_node(const xmlNode* node, const Place& place, Operations& out) {
    if (node->name == xmlStringTextNoenc) refuse(node, "disable-output-escaping");
    std::string text;
    place.in_attribute ? xml::append_attribute(text, view(node->content))
                       : xml::append_text(text, view(node->content));
    add_text(std::move(text), out);
}

void Compiler::add_value(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    if (node->children != nullptr) refuse(node, "content of xsl:value-of");
    Expression e = parse_string(attribute(node, "select"), xpath(node, place));
    out.push_back({Value{std::move(e), place.in_attribute}});
}

void Compiler::add_for_each(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"select"});
    const Expression nodes = parse_nodes(attribute(node, "select"), xpath(node, place));
    const auto* const single = std::get_if<AttributeNode>(&nodes.node);
    Place inside = place.inside();
    inside.context = single != nullptr ? ContextKind::attribute : ContextKind::child;
    Operations body;
    add_content(node->children, inside, body);
    if (single != nullptr) {
        out.push_back(make(node, ForEachAttribute{single->slot, std::move(body)}, "xsl:for-each"));
    } else {
        const std::size_t slot = std::get<ChildNodes>(nodes.node).slot;
        out.push_back(
            make(node, ForEachChild{slot, std::move(body)}, "xsl:for-each", kExecuted | kRepeated));
    }
}

// xsltCopyOf.
CopyElements Compiler::copy_of(const xmlNode* node, const Place& place) {
    allow_attributes(node, {"select"});
    if (place.context != ContextKind::record) refuse(node, "xsl:copy-of within xsl:for-each");
    return {parse_stored_elements(attribute(node, "select"), xpath(node, place)), *place.scope};
}

// xsltApplyImports: the imported template takes the place of the instruction.
void Compiler::add_imported(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {});
    if (place.context != ContextKind::record) refuse(node, "xsl:apply-imports within xsl:for-each");
    if (node->children != nullptr) refuse(node, "content of xsl:apply-imports");
    Place inside = place.inside();
    inside.rule = imported_record_template(place.rule->style);
    if (inside.rule == nullptr) refuse(node, "xsl:apply-imports without an imported template");
    inside.is_template_top = true;
    add_content(inside.rule->elem->children, inside, out);
}

void Compiler::add_if(const xmlNode* node, const Place& place, const AddBody& add_body,
                      Operations& out) {
    Choose choose;
    choose.branches.push_back(branch(node, true, place, add_body));
    out.push_back({std::move(choose)});
}

void Compiler::add_choose(const xmlNode* node, const Place& place, const AddBody& add_body,
                          Operations& out) {
    allow_attributes(node, {});
    Choose choose;
    for (const xmlNode* when = node->children; when != nullptr; when = when->next) {
        if (when->type != XML_ELEMENT_NODE) continue;
        choose.branches.push_back(branch(when, view(when->name) == "when", place, add_body));
    }
    out.push_back({std::move(choose)});
}

Branch Compiler::branch(const xmlNode* node, bool has_test, const Place& place,
                        const AddBody& add_body) {
    Branch out;
    if (has_test) {
        allow_attributes(node, {"test"});
        out.test = parse_test(attribute(node, "test"), xpath(node, place));
    } else {
        allow_attributes(node, {});
        out.point = add_point(node, "xsl:otherwise", kExecuted);
    }
    add_or_fall_back(node, add_body, out.body);
    return out;
}

// What a branch needs libxslt for costs the records that come to it, and no others.
void Compiler::add_or_fall_back(const xmlNode* branch, const AddBody& add_body, Operations& out) {
    const std::size_t points = program_.points.size();
    const std::vector<std::string> attribute_names = attribute_names_;
    try {
        return add_body(branch, out);
    } catch (const Unsupported& unsupported) {
        program_.points.resize(points);
        attribute_names_ = attribute_names;
        if (program_.fallback.empty()) program_.fallback = where(unsupported);
    }
    out.clear();
    out.push_back(make(branch, Fallback{}, "", 0));
}

// What is made of a record: one literal element or copied one, or a choice of these.
void Compiler::add_record(const xmlNode* parent, const Place& place, Operations& out) {
    const xmlNode* const node = only_element(parent);
    const std::string_view name = view(node->name);
    if (!is_xslt(node)) {
        if (node->ns == nullptr || view(node->ns->href) != root_namespace_)
            refuse(node, "a root element of another namespace");
        add_literal_element(node, place, out);
    } else if (name == "copy-of") {
        CopyRecord copy{copy_of(node, place).elements, root_namespace_};
        out.push_back(make(node, std::move(copy), "xsl:copy-of"));
    } else if (name == "choose") {
        const Place inside = place.inside();
        if (inside.depth > kMaxDepth) refuse(node, "more than 100 levels");
        add_choose(
            node, place,
            [&](const xmlNode* branch, Operations& body) { add_record(branch, inside, body); },
            out);
    } else {
        refuse(node, fmt::format("xsl:{} in place of a record's element", name));
    }
}

// xsltShallowCopyElem, then (at the top of a template) the namespaces of the template, then
// xsltAttrListTemplateProcess.
void Compiler::add_literal_element(const xmlNode* node, const Place& place, Operations& out) {
    StartTag start(*place.scope, node->ns != nullptr);
    for (const xmlNs* ns = node->nsDef; ns != nullptr; ns = ns->next) {
        if (view(ns->href).empty()) refuse(node, "xmlns=\"\"");
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        const bool redundant = known != nullptr && known->uri == view(ns->href);
        if (!redundant && !xmlStrEqual(ns->href, XSLT_NAMESPACE))
            start.declare(view(ns->prefix), view(ns->href));
    }
    if (node->ns != nullptr) {
        start.acquire(node, node->ns);
    } else if (place.parent_has_namespace && in_force(start.scope(), "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    if (place.is_template_top) inherit(node, place.rule, start);
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    Operations attributes;
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next)
        add_literal_attribute(a, start, place, attributes);
    finish_element(node, qualified(node->ns, node->name), start, std::move(attributes), place, out);
    attribute_names_ = outer;
}

void Compiler::inherit(const xmlNode* node, const xsltTemplate* rule, StartTag& start) const {
    for (int i = 0; i < rule->inheritedNsNr; ++i) {
        const xmlNs* ns = rule->inheritedNs[i];
        const Declaration* known = in_force(start.scope(), view(ns->prefix));
        if (known != nullptr && known->uri != view(ns->href))
            refuse(node, "a prefix that is declared twice");
        if (known == nullptr) start.declare(view(ns->prefix), view(ns->href));
    }
}

void Compiler::add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place,
                                     Operations& out) {
    const xmlNode* element = attribute->parent;
    const std::string name = qualified(attribute->ns, attribute->name);
    if (attribute->ns != nullptr && xmlStrEqual(attribute->ns->href, XSLT_NAMESPACE))
        refuse(element, name);
    note_attribute(element, name);
    start.acquire(element, attribute->ns);
    Place inside = place;
    inside.in_attribute = true;
    add_text(fmt::format(" {}=\"", name), out);
    if (attribute->children != nullptr)
        add_value_template(element, view(attribute->children->content), inside, out);
    add_text("\"", out);
}

// 7.6.2 of XSLT 1.0.
void Compiler::add_value_template(const xmlNode* node, std::string_view source, const Place& place,
                                  Operations& out) {
    std::string text;
    while (!source.empty()) {
        const std::size_t plain = std::min(source.find_first_of("{}"), source.size());
        xml::append_attribute(text, source.substr(0, plain));
        source.remove_prefix(plain);
        if (source.starts_with("{{") || source.starts_with("}}")) {
            text += source.front();
            source.remove_prefix(2);
        } else if (source.starts_with("{")) {
            const std::size_t end = source.find('}');
            const std::string_view inside =
                source.substr(1, end == std::string_view::npos ? end : end - 1);
            if (end == std::string_view::npos || inside.find('{') != std::string_view::npos ||
                is_blank(inside))
                refuse(node, fmt::format("the attribute value template \"{}\"", source));
            add_text(std::exchange(text, {}), out);
            Expression e = parse_string(inside, xpath(node, place));
            out.push_back({Value{std::move(e), true}});
            source.remove_prefix(end + 1);
        } else if (!source.empty()) {
            refuse(node, "a single } in an attribute value template");
        }
    }
    add_text(std::move(text), out);
}

// xsltElement.
void Compiler::add_named_element(const xmlNode* node, const Place& place, Operations& out) {
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}") != std::string::npos)
        refuse(node, fmt::format("xsl:element name=\"{}\"", name));
    const std::size_t colon = name.find(':');
    const std::string prefix = colon == std::string::npos ? "" : name.substr(0, colon);
    const xmlNs* ns = namespace_of_prefix(node, prefix);
    if (ns == nullptr && !prefix.empty())
        refuse(node, fmt::format("the undeclared prefix of {}", name));
    StartTag start(*place.scope, ns != nullptr);
    if (ns != nullptr) {
        start.acquire(node, ns);
    } else if (place.parent_has_namespace && in_force(start.scope(), "") != nullptr) {
        refuse(node, "an element without namespace below a default namespace");
    }
    const std::vector<std::string> outer = std::exchange(attribute_names_, {});
    finish_element(node, name, start, {}, place, out);
    attribute_names_ = outer;
}

// Instructions at the beginning that make attributes, and then the content, which must make none.
// An element is text around its content, unless that may come out empty.
void Compiler::finish_element(const xmlNode* node, const std::string& name, const StartTag& start,
                              Operations attributes, const Place& place, Operations& out) {
    Place inside = place.inside();
    inside.in_attribute = false;
    inside.scope = &start.scope();
    inside.parent_has_namespace = start.has_namespace();
    const xmlNode* child = node->children;
    for (; child != nullptr && (is_ignored(child) || makes_attributes(child)); child = child->next)
        if (!is_ignored(child)) add_named_attribute(child, inside, attributes);
    Operations content;
    add_content(child, inside, content);
    const bool is_empty = content.empty();
    const std::string close = is_empty ? "/>" : ">";
    std::string begin = fmt::format("<{}{}", name, start.declarations());
    if (attributes.empty())
        begin += close;
    else
        add_text(close, attributes);
    std::string end = fmt::format("</{}>", name);
    if (!is_empty && !always_writes(content)) {
        Element element{std::move(begin), std::move(end), std::move(attributes),
                        std::move(content)};
        out.push_back(make(node, std::move(element), fmt::format("<{}>", name)));
        return;
    }
    add_text(std::move(begin), out);
    add_all(std::move(attributes), out);
    add_all(std::move(content), out);
    if (!is_empty) add_text(std::move(end), out);
}

void Compiler::add_named_attribute(const xmlNode* node, const Place& place, Operations& out) {
    if (view(node->name) == "if") {
        Choose choose;
        allow_attributes(node, {"test"});
        Branch only{.test = parse_test(attribute(node, "test"), xpath(node, place)), .body = {}};
        add_named_attribute(node->children, place, only.body);
        choose.branches.push_back(std::move(only));
        out.push_back({std::move(choose)});
        return;
    }
    allow_attributes(node, {"name"});
    const std::string name = attribute(node, "name");
    if (name.find_first_of("{}:") != std::string::npos)
        refuse(node, fmt::format("xsl:attribute name=\"{}\"", name));
    note_attribute(node, name);
    Place inside = place.inside();
    inside.in_attribute = true;
    add_text(fmt::format(" {}=\"", name), out);
    add_content(node->children, inside, out);
    add_text("\"", out);
}

void Compiler::note_attribute(const xmlNode* node, std::string_view name) {
    if (std::find(attribute_names_.begin(), attribute_names_.end(), name) != attribute_names_.end())
        refuse(node, fmt::format("the attribute {} twice", name));
    attribute_names_.emplace_back(name);
}

std::string Compiler::where(const Unsupported& unsupported) const {
    const xmlNode* const node = unsupported.node();
    const bool is_imported = node->doc != stylesheet_.document();
    return fmt::format("{}:{}: {}", is_imported ? view(node->doc->URL) : stylesheet_.path(),
                       xmlGetLineNo(node), unsupported.what());
}

Compilation Compiler::compile() {
    try {
        const xsltTemplate* const rule = record_template(stylesheet_);
        add_point(rule->elem, "xsl:template", kExecuted);  // the first is the program's own
        add_record(rule->elem, Place{.rule = rule}, program_.operations);
        for (const std::string& name : program_.trees) {
            if (std::find(program_.children.begin(), program_.children.end(), name) !=
                program_.children.end())
                refuse(rule->elem, fmt::format("{0}, of which elements are copied, as text "
                                               "(whether it is there: {0}/*)",
                                               name));
        }
        return {.program = std::move(program_), .why_not = {}};
    } catch (const Unsupported& unsupported) {
        return {.program = {}, .why_not = where(unsupported)};
    }
}

}  // namespace

Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace) {
    return Compiler(stylesheet, root_namespace).compile();
}

}  // namespace oai::transform
