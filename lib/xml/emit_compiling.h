// SPDX-License-Identifier: MIT
// A compilation at work (emit_compiler.h). Comments in its sources name the function of libxslt whose outcome is foreseen.
// Private to the compiler. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "xml/emit.h"
#include "xml/emit_compiler.h"
#include "xml/emit_scope.h"
#include "xml/emit_xpath.h"

namespace oai::xml {

// Where something stands in the result.
struct Place {
    Stand stand = Stand::record;
    bool in_attribute = false;          // only text may come
    const Scope* scope = nullptr;       // of the element around it
    bool parent_has_namespace = false;  // that element is in one
    int depth = 0;
};

// One compilation. emit_compiler.cpp has its instructions, emit_elements.cpp its elements and attributes.
class Compiler {
  public:
    Compiler(const Stylesheet& stylesheet, const std::string& root_namespace)
        : stylesheet_(stylesheet), root_namespace_(root_namespace) {}

    Compilation compile();

  private:
    using Operations = std::vector<Operation>;

    void add_record(const xmlNode* parent, bool is_template, Operations& out);
    void add_content(const xmlNode* first, const Place& place, Operations& out);
    void add_node(const xmlNode* node, const Place& place, Operations& out);
    void add_text(const xmlNode* node, const Place& place, Operations& out);
    void add_markup(std::string text, Operations& out);
    void add_value(const xmlNode* node, const Place& place, Operations& out);
    void add_each(const xmlNode* node, const Place& place, Operations& out);
    void add_copy(const xmlNode* node, const Place& place, Operations& out);
    // Adds what a branch holds: content, or the record's element.
    using AddBody = std::function<void(const xmlNode* branch, Operations& out)>;
    void add_choose(const xmlNode* node, const Place& place, const AddBody& add_body, Operations& out);
    Operation::Branch branch(const xmlNode* node, bool with_test, const Place& place, const AddBody& add_body);
    void add_or_leave(const xmlNode* branch, const AddBody& add_body, Operations& out);
    std::string where(long line, std::string_view what) const;
    Operation literal_element(const xmlNode* node, const Place& place, bool is_root = false);
    void inherit(const xmlNode* node, StartTag& start) const;
    Operation named_element(const xmlNode* node, const Place& place);
    Operation finish_element(const xmlNode* node, const std::string& name, StartTag start, Operations attributes,
                             const Place& place);
    void add_literal_attribute(const xmlAttr* attribute, StartTag& start, const Place& place, Operations& out);
    void add_template(std::string_view source, const Place& place, Operations& out);
    Operation named_attribute(const xmlNode* node, const Place& place);

    bool makes_attributes(const xmlNode* node);
    void note_attribute(const xmlNode* node, std::string_view name);
    XPathContext xpath(const Place& place) { return {emission_, place.stand, node_}; }
    Operation make(Operation::Kind kind, std::string what, std::uint8_t wanted = kDone);

    const Stylesheet& stylesheet_;
    const std::string& root_namespace_;
    Emission emission_;
    const xmlNode* node_ = nullptr;  // at work
    std::vector<std::string> attribute_names_;  // of the element at work
};

}  // namespace oai::xml
