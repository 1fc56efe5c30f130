// SPDX-License-Identifier: MIT
// Compiles the template of a record: instructions and text, elements and attributes of the result,
// called templates, and variables. Comments name the reproduced function of libxslt.
#include "transform/compiler.h"

#include <fmt/format.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "base/text.h"
#include "transform/stylesheet_source.h"
#include "transform/xpath_parser.h"
#include "xml/escape.h"

namespace oai::transform {
namespace {

constexpr int kMaxElementDepth = 100;  // nesting of elements
constexpr int kMaxNodes = 20'000;      // an imported template may be compiled several times

// The innermost declaration of the prefix; nullptr if there is none. Valid until the scope grows.
const Declaration* in_force(const Scope& scope, std::string_view prefix) {
    const auto found = std::find_if(scope.rbegin(), scope.rend(),
                                    [&](const auto& d) { return d.prefix == prefix; });
    return found == scope.rend() ? nullptr : &*found;
}

// The start tag of an element of the result while a stylesheet is compiled: the namespaces that it
// declares, and those in scope.
class StartTag {
  public:
    // `around`: the start tag of the parent element, which must outlive this; nullptr: none.
    explicit StartTag(const StartTag* around)
        : around_(around),
          scope_(around != nullptr ? around->scope_ : Scope()),
          own_(scope_.size()) {}

    // Reproduces xmlNewNs on the element. Like the functions below, throws Unsupported where
    // libxslt's result would differ. REQUIRES: the element declares no namespace with that prefix.
    void declare(std::string_view prefix, std::string_view uri) {
        declarations_ += prefix.empty() ? " xmlns" : fmt::format(" xmlns:{}", prefix);
        declarations_ += "=\"";
        xml::append_attribute(declarations_, uri);
        declarations_ += '"';
        scope_.push_back({std::string(prefix), std::string(uri)});
    }
    // Reproduces xsltGetSpecialNamespace for an attribute or the element; nullptr: none.
    void acquire(const xmlNode* node, const xmlNs* ns) {
        if (ns == nullptr || view(ns->prefix) == "xml") return;
        const Declaration* known = in_force(scope_, view(ns->prefix));
        if (known != nullptr && known->uri == view(ns->href)) return;
        if (known != nullptr && known >= scope_.data() + own_)
            refuse(node, fmt::format("two namespaces for the prefix {}", view(ns->prefix)));
        declare(view(ns->prefix), view(ns->href));
    }
    void acquire_own(const xmlNode* node, const xmlNs* ns) {
        has_namespace_ = ns != nullptr;
        acquire(node, ns);
        const bool around_has = around_ != nullptr && around_->has_namespace_;
        if (!has_namespace_ && around_has && in_force(scope_, "") != nullptr)
            refuse(node, "an element without namespace below a default namespace");
    }

    // The declarations as text: ' xmlns:a="b"'.
    const std::string& declarations() const { return declarations_; }
    // Includes the declarations of the element itself.
    const Scope& scope() const { return scope_; }

  private:
    const StartTag* const around_;
    std::string declarations_;
    Scope scope_;
    std::size_t own_;  // index of the first declaration of this element
    bool has_namespace_ = false;
};

// A position in the result, and what may be written there.
struct Place {
    const xsltTemplate* rule;     // the current template
    bool makes_record = false;    // only the element of the record may be written here
    bool is_template_top = true;  // directly in a template, whose namespaces are added to elements
    ContextKind context = ContextKind::record;
    Escape escape = Escape::text;  // text: elements may be written, too
    StartTag* element = nullptr;   // the parent element
    int depth = 0;
    const VariableBinding* variables = nullptr;  // of the template, the last declared one first
    const Place* caller = nullptr;  // where the template was called; nullptr: it matched

    Place inside() const {
        Place out = *this;
        out.is_template_top = false;
        ++out.depth;
        return out;
    }
};

// Appends text; merges adjacent texts.
void add_text(std::string text, Operations& out) {
    if (text.empty()) return;
    if (auto* before = out.empty() ? nullptr : std::get_if<Text>(&out.back().node))
        before->text += text;
    else
        out.push_back({Text{std::move(text)}});
}

bool always_writes(const Operations& operations) {
    return std::any_of(
        operations.begin(), operations.end(),
        [](const Operation& o) {
            return std::holds_alternative<Text>(o.node) || std::holds_alternative<Element>(o.node);
        });
}

void add_all(Operations from, Operations& out) {
    for (Operation& o : from)
        if (auto* text = std::get_if<Text>(&o.node))
            add_text(std::move(text->text), out);
        else
            out.push_back(std::move(o));
}

// Each function compiles a node and appends the operations to `out`; it throws Unsupported
// (stylesheet_source.h) for constructs outside of the subset.
class Compiler {
  public:
    Compiler(const Stylesheet& stylesheet, const std::string& root_namespace)
        : stylesheet_(stylesheet), root_namespace_(root_namespace) {}

    Compilation compile() {
        try {
            const xsltTemplate* const rule = record_template(stylesheet_);
            add_point(rule->elem, kExecuted);  // the first point belongs to the program as a whole
            add_record(rule->elem, {.rule = rule, .makes_record = true}, program_.operations);
            return {.program = std::move(program_), .why_not = {}};
        } catch (const Unsupported& unsupported) {
            return {.program = {}, .why_not = where(unsupported)};
        }
    }

  private:
    std::size_t add_point(const xmlNode* node, std::uint8_t reachable) {
        program_.points.push_back({xmlGetLineNo(node), reachable});
        return program_.points.size() - 1;
    }
    Operation make(const xmlNode* node, Operation::Node operation,
                   std::uint8_t reachable = kExecuted) {
        return {std::move(operation), add_point(node, reachable)};
    }
    XPathContext xpath(const xmlNode* node, const Place& place) {
        return {program_, place.context, node, stylesheet_.handle(), place.variables};
    }

    // Compiles the element of a record: a literal element, a copied one, or a choice of these.
    void add_record(const xmlNode* parent, const Place& place, Operations& out) {
        const xmlNode* const node = only_element(parent);
        const std::string_view name = view(node->name);
        if (place.depth > kMaxElementDepth) refuse(node, "more than 100 levels");
        if (!is_xslt(node)) {
            if (node->ns == nullptr || view(node->ns->href) != root_namespace_)
                refuse(node, "a root element of another namespace");
            add_literal_element(node, place, out);
        } else if (name == "copy-of") {
            CopyElements copy = copy_of(node, place);
            copy.root_namespace = root_namespace_;
            out.push_back(make(node, std::move(copy)));
        } else if (name == "choose") {
            add_choice(node, place, out);
        } else {
            refuse(node, fmt::format("xsl:{} in place of a record's element", name));
        }
    }

    std::string where(const Unsupported& unsupported) const {
        const xmlNode* const node = unsupported.node();
        const bool is_imported = node->doc != stylesheet_.document();
        return fmt::format("{}:{}: {}", is_imported ? view(node->doc->URL) : stylesheet_.path(),
                           xmlGetLineNo(node), unsupported.what());
    }

    void add_content(const xmlNode* first, const Place& place, Operations& out) {
        Place here = place;
        for (const xmlNode* node = first; node != nullptr; node = node->next) {
            if (is_ignored(node)) continue;
            if (is_instruction(node, "variable"))
                here.variables = declare(node, evaluate(node, here, out), here);
            else
                add_node(node, here, out);
        }
    }

    void add_node(const xmlNode* node, const Place& place, Operations& out) {
        if (node->type == XML_TEXT_NODE) return add_text_node(node, place, out);
        if (node->type != XML_ELEMENT_NODE) refuse(node, "a CDATA section");
        if (place.depth > kMaxElementDepth) refuse(node, "more than 100 levels");
        if (++nodes_ > kMaxNodes) refuse(node, "more than 20,000 nodes");
        if (is_xslt(node)) return add_instruction(node, place, out);
        if (place.escape != Escape::text)
            refuse(node, "an element within an attribute or variable");
        add_literal_element(node, place, out);
    }

    void add_instruction(const xmlNode* node, const Place& place, Operations& out) {
        const std::string_view name = view(node->name);
        if (name == "value-of") return add_value(node, place, out);
        if (name == "for-each") return add_for_each(node, place, out);
        if (name == "if" || name == "choose") return add_choice(node, place, out);
        if (name == "apply-imports") return add_imported(node, place, out);
        if (name == "call-template") return add_called(node, place, out);
        if (name != "copy-of") refuse(node, fmt::format("xsl:{} here", name));
        if (place.escape != Escape::text)
            refuse(node, "an element within an attribute or variable");
        out.push_back(make(node, copy_of(node, place)));
    }

    void add_text_node(const xmlNode* node, const Place& place, Operations& out) {
        if (node->name == xmlStringTextNoenc) refuse(node, "disable-output-escaping");
        std::string text;
        switch (place.escape) {
            case Escape::none: text = view(node->content); break;
            case Escape::text: xml::append_text(text, view(node->content)); break;
            case Escape::attribute: xml::append_attribute(text, view(node->content)); break;
        }
        add_text(std::move(text), out);
    }

    void add_value(const xmlNode* node, const Place& place, Operations& out) {
        allow_attributes(node, {"select"});
        if (node->children != nullptr) refuse(node, "content of xsl:value-of");
        out.push_back(
            {Value{parse_string(attribute(node, "select"), xpath(node, place)), place.escape}});
    }

    void add_for_each(const xmlNode* node, const Place& place, Operations& out) {
        allow_attributes(node, {"select"});
        Place inside = place.inside();
        ForEach each{parse_nodes(attribute(node, "select"), xpath(node, inside)), {}};
        const bool is_attribute = program_.columns[each.nodes.slot].kind == Column::Kind::attribute;
        inside.context = is_attribute ? ContextKind::attribute : ContextKind::child;
        add_content(node->children, inside, each.body);
        const bool may_repeat =
            !is_attribute &&
            each.nodes.filter.empty();  // with a predicate only one node may be left
        out.push_back(make(node, std::move(each),
                           static_cast<std::uint8_t>(kExecuted | (may_repeat ? kRepeated : 0))));
    }

    // xsltCopyOf.
    CopyElements copy_of(const xmlNode* node, const Place& place) {
        allow_attributes(node, {"select"});
        if (place.context != ContextKind::record) refuse(node, "xsl:copy-of within xsl:for-each");
        return {parse_stored_elements(attribute(node, "select"), xpath(node, place)),
                place.element != nullptr ? place.element->scope() : Scope()};
    }

    // xsl:choose; xsl:if is one of a single branch.
    void add_choice(const xmlNode* node, const Place& place, Operations& out) {
        Choose choose;
        if (view(node->name) == "if") {
            choose.branches.push_back(branch(node, place));
        } else {
            allow_attributes(node, {});
            for (const xmlNode* when = node->children; when != nullptr; when = when->next)
                if (when->type == XML_ELEMENT_NODE) choose.branches.push_back(branch(when, place));
        }
        out.push_back({std::move(choose)});
    }

    // If a branch is not supported, only the records that reach it are left to libxslt.
    Branch branch(const xmlNode* node, const Place& place) {
        Branch out;
        if (view(node->name) == "otherwise") {
            allow_attributes(node, {});
            out.point = add_point(node, kExecuted);
        } else {
            allow_attributes(node, {"test"});
            out.test = parse_test(attribute(node, "test"), xpath(node, place));
        }
        const std::size_t points = program_.points.size();
        try {
            const Place inside = place.inside();
            if (place.makes_record)
                add_record(node, inside, out.body);
            else
                add_content(node->children, inside, out.body);
        } catch (const Unsupported& unsupported) {
            program_.points.resize(points);
            if (program_.fallback.empty()) program_.fallback = where(unsupported);
            out.body.clear();
            out.body.push_back(make(node, Fallback{}, 0));
        }
        return out;
    }

    // Reproduces xsltShallowCopyElem, then (at the top of a template) the namespaces of the
    // template, then xsltAttrListTemplateProcess, then the content. The tags are plain text, unless
    // the element may turn out to be empty.
    void add_literal_element(const xmlNode* node, const Place& place, Operations& out) {
        StartTag start(place.element);
        for (const xmlNs* ns = node->nsDef; ns != nullptr; ns = ns->next) {
            if (view(ns->href).empty()) refuse(node, "xmlns=\"\"");
            const Declaration* known = in_force(start.scope(), view(ns->prefix));
            const bool redundant = known != nullptr && known->uri == view(ns->href);
            if (!redundant && !xmlStrEqual(ns->href, XSLT_NAMESPACE))
                start.declare(view(ns->prefix), view(ns->href));
        }
        start.acquire_own(node, node->ns);
        for (int i = 0; place.is_template_top && i < place.rule->inheritedNsNr; ++i) {
            const xmlNs* ns = place.rule->inheritedNs[i];
            const Declaration* known = in_force(start.scope(), view(ns->prefix));
            if (known != nullptr && known->uri != view(ns->href))
                refuse(node, "a prefix that is declared twice");
            if (known == nullptr) start.declare(view(ns->prefix), view(ns->href));
        }
        Operations attributes;
        for (const xmlAttr* a = node->properties; a != nullptr; a = a->next)
            add_literal_attribute(a, start, place, attributes);
        const std::string name = qualified(node->ns, node->name);
        Place inside = place.inside();
        inside.element = &start;
        inside.makes_record = false;
        Operations content;
        add_content(node->children, inside, content);
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
            out.push_back(make(node, std::move(element)));
            return;
        }
        add_text(std::move(begin), out);
        add_all(std::move(attributes), out);
        add_all(std::move(content), out);
        if (!is_empty) add_text(std::move(end), out);
    }

    void add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place,
                               Operations& out) {
        const xmlNode* element = attribute->parent;
        const std::string name = qualified(attribute->ns, attribute->name);
        if (attribute->ns != nullptr && xmlStrEqual(attribute->ns->href, XSLT_NAMESPACE))
            refuse(element, name);
        start.acquire(element, attribute->ns);
        Place inside = place;
        inside.escape = Escape::attribute;
        add_text(fmt::format(" {}=\"", name), out);
        if (attribute->children != nullptr)
            add_value_template(element, view(attribute->children->content), inside, out);
        add_text("\"", out);
    }

    // 7.6.2 of XSLT 1.0.
    void add_value_template(const xmlNode* node, std::string_view source, const Place& place,
                            Operations& out) {
        std::string text;
        for (;;) {
            const std::size_t plain = std::min(source.find_first_of("{}"), source.size());
            xml::append_attribute(text, source.substr(0, plain));
            source.remove_prefix(plain);
            if (source.empty()) break;
            if (source.starts_with("{{") || source.starts_with("}}")) {
                text += source.front();
                source.remove_prefix(2);
                continue;
            }
            const std::size_t end = source.find('}');
            const std::string_view inside = source.substr(1, end - 1);
            if (end == 0 || end == std::string_view::npos ||
                inside.find('{') != std::string_view::npos || text::trim(inside).empty())
                refuse(node, fmt::format("the attribute value template \"{}\"", source));
            add_text(std::exchange(text, {}), out);
            out.push_back({Value{parse_string(inside, xpath(node, place)), place.escape}});
            source.remove_prefix(end + 1);
        }
        add_text(std::move(text), out);
    }

    // Reproduces xsltApplyImports: the imported template is compiled in place of the instruction.
    void add_imported(const xmlNode* node, const Place& place, Operations& out) {
        allow_attributes(node, {});
        if (place.context != ContextKind::record)
            refuse(node, "xsl:apply-imports within xsl:for-each");
        if (node->children != nullptr) refuse(node, "content of xsl:apply-imports");
        if (place.caller != nullptr) refuse(node, "xsl:apply-imports within a called template");
        Place inside = place.inside();
        inside.rule = imported_record_template(place.rule->style);
        if (inside.rule == nullptr) refuse(node, "xsl:apply-imports without an imported template");
        inside.is_template_top = true;
        inside.variables = nullptr;
        add_content(inside.rule->elem->children, inside, out);
    }

    // Reproduces xsltCallTemplate: the template is compiled in place of the instruction.
    void add_called(const xmlNode* node, const Place& place, Operations& out) {
        allow_attributes(node, {"name"});
        const std::string name = attribute(node, "name");
        Place inside = place.inside();
        inside.rule = named_template(stylesheet_.handle(), name);
        if (inside.rule == nullptr) refuse(node, fmt::format("the template {}", name));
        for (const Place* p = &place; p != nullptr; p = p->caller)
            if (p->rule == inside.rule) refuse(node, "a template that calls itself");
        inside.is_template_top = true;
        inside.caller = &place;
        inside.variables = nullptr;
        std::vector<VariableBinding> passed;
        for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
            if (is_ignored(child)) continue;
            if (!is_instruction(child, "with-param")) refuse(child, "this in xsl:call-template");
            passed.push_back(evaluate(child, place, out));
        }
        const xmlNode* child = inside.rule->elem->children;
        for (; child != nullptr && (is_ignored(child) || is_instruction(child, "param"));
             child = child->next)
            if (!is_ignored(child)) declare_parameter(child, passed, inside, out);
        add_content(child, inside, out);
    }

    void declare_parameter(const xmlNode* node, const std::vector<VariableBinding>& passed,
                           Place& place, Operations& out) {
        const std::string name = attribute(node, "name");
        const auto found = std::find_if(passed.begin(), passed.end(),
                                        [&](const auto& given) { return given.name == name; });
        place.variables =
            declare(node, found != passed.end() ? *found : evaluate(node, place, out), place);
    }

    // Reproduces xsltParseStylesheetVariable, for variables, parameters and arguments.
    VariableBinding evaluate(const xmlNode* node, const Place& place, Operations& out) {
        allow_attributes(node, {"name", "select"});
        VariableBinding binding{attribute(node, "name"), program_.variables++, VariableKind::tree};
        Variable variable{binding.slot, {}};
        if (has_attribute(node, "select")) {
            if (node->children != nullptr) refuse(node, "content beside select");
            Expression e = parse_string(attribute(node, "select"), xpath(node, place));
            binding.kind = kind_of(e);
            variable.body.push_back({Value{std::move(e), Escape::none}});
        } else if (node->children == nullptr) {
            binding.kind = VariableKind::string;
        } else {
            Place inside = place.inside();
            inside.escape = Escape::none;
            add_content(node->children, inside, variable.body);
        }
        out.push_back({std::move(variable)});
        return binding;
    }

    // 11.5: a template must not declare a variable within the scope of another of the same name.
    const VariableBinding* declare(const xmlNode* node, VariableBinding binding,
                                   const Place& place) {
        for (const auto* v = place.variables; v != nullptr; v = v->outer)
            if (v->name == binding.name)
                refuse(node, fmt::format("a second variable ${}", binding.name));
        binding.outer = place.variables;
        return &bindings_.emplace_back(std::move(binding));
    }

    const Stylesheet& stylesheet_;
    const std::string& root_namespace_;
    Program program_;
    int nodes_ = 0;  // number of compiled nodes
    std::deque<VariableBinding> bindings_;
};

}  // namespace

Compilation compile_program(const Stylesheet& stylesheet, const std::string& root_namespace) {
    return Compiler(stylesheet, root_namespace).compile();
}

}  // namespace oai::transform
