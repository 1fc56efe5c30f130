// SPDX-License-Identifier: MIT
// The compiler at work on one stylesheet (compiler.h has what it is for). Its functions stand by
// what they compile: what a record becomes in compiler.cpp, instructions and text in
// content_compiler.cpp, elements and attributes of the result in element_compiler.cpp, templates
// that are called and variables in template_compiler.cpp. Each that takes a node throws Unsupported
// (stylesheet_source.h) for what is not in the subset, and appends to `out` what it compiled.
// Private to the compiler.
#pragma once

#include <libxml/tree.h>
#include <libxslt/xsltInternals.h>

#include <deque>
#include <string>
#include <vector>

#include "transform/compiler.h"
#include "transform/start_tag.h"
#include "transform/stylesheet_source.h"
#include "transform/xpath_parser.h"

namespace oai::transform {

constexpr int kMaxElementDepth = 100;  // elements in each other
constexpr int kMaxNodes = 20'000;      // imported templates may stand in a program several times

// What may stand somewhere: what a record becomes, all that an element may hold, or what makes an
// attribute.
enum class Content { record, any, attribute };

// Where in the result something stands.
struct Place {
    const xsltTemplate* rule;  // the template at work
    Content content = Content::any;
    bool is_template_top = true;  // directly in it: its namespaces go onto elements
    ContextKind context = ContextKind::record;
    Escape escape = Escape::text;  // unless it is this, only text may come
    StartTag* element = nullptr;   // around it
    int depth = 0;
    const VariableBinding* variables = nullptr;  // of the template, the last one declared
    const Place* caller = nullptr;  // where the template was called; nullptr: it matched

    Place inside() const {
        Place out = *this;
        out.is_template_top = false;
        ++out.depth;
        return out;
    }
};

// Neighbouring texts are one.
void add_text(std::string text, Operations& out);

class Compiler {
  public:
    Compiler(const Stylesheet& stylesheet, const std::string& root_namespace,
             const std::string& document)
        : stylesheet_(stylesheet), root_namespace_(root_namespace), document_(document) {}

    Compilation compile();

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

    // compiler.cpp
    void add_record(const xmlNode* parent, const Place& place, Operations& out);
    std::string where(const Unsupported& unsupported) const;

    // content_compiler.cpp
    void add_content(const xmlNode* first, const Place& place, Operations& out);
    void add_node(const xmlNode* node, const Place& place, Operations& out);
    void add_instruction(const xmlNode* node, const Place& place, Operations& out);
    void add_text_node(const xmlNode* node, const Place& place, Operations& out);
    void add_value(const xmlNode* node, const Place& place, Operations& out);
    void add_for_each(const xmlNode* node, const Place& place, Operations& out);
    ForEach for_each(const xmlNode* node, Place& inside);
    bool is_attribute(const ColumnNodes& nodes) const;
    bool may_repeat(const ForEach& each) const;
    CopyElements copy_of(const xmlNode* node, const Place& place);
    void add_choice(const xmlNode* node, const Place& place, Operations& out);
    Branch branch(const xmlNode* node, const Place& place);

    // element_compiler.cpp
    void add_literal_element(const xmlNode* node, const Place& place, Operations& out);
    void add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place,
                               Operations& out);
    void add_value_template(const xmlNode* node, std::string_view source, const Place& place,
                            Operations& out);
    void add_named_element(const xmlNode* node, const Place& place, Operations& out);
    void finish_element(const xmlNode* node, const std::string& name, StartTag& start,
                        Operations attributes, const Place& place, Operations& out);
    void add_named_attribute(const xmlNode* node, const Place& place, Operations& out);

    // template_compiler.cpp
    void add_imported(const xmlNode* node, const Place& place, Operations& out);
    void add_called(const xmlNode* node, const Place& place, Operations& out);
    void declare_parameter(const xmlNode* node, const std::vector<VariableBinding>& passed,
                           Place& place, Operations& out);
    VariableBinding evaluate(const xmlNode* node, const Place& place, Operations& out);
    const VariableBinding* declare(const xmlNode* node, VariableBinding binding,
                                   const Place& place);

    const Stylesheet& stylesheet_;
    const std::string &root_namespace_, &document_;
    Program program_;
    int nodes_ = 0;  // compiled so far
    std::deque<VariableBinding> bindings_;
};

}  // namespace oai::transform
