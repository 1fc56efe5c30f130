// SPDX-License-Identifier: MIT
// The namespaces that are in force in the result while a stylesheet is compiled, and which an element's start tag declares.
// Private to the compiler (emit_compiler.h).
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>

#include "xml/emit_copy.h"

namespace oai::xml {

// The innermost of the prefix; nullptr if there is none. Good until the scope grows.
const Declaration* in_force(const Scope& scope, std::string_view prefix);

// The namespaces of an element's start tag.
class StartTag {
  public:
    StartTag(const Scope& around, bool has_namespace) : scope_(around), own_(around.size()), has_namespace_(has_namespace) {}

    // xmlNewNs on the element. REQUIRES: it has none of that prefix.
    void declare(std::string_view prefix, std::string_view uri);
    // xsltGetSpecialNamespace for the element itself or an attribute: declares what is not in force. Refuses two of one prefix
    // in the name of the node.
    void acquire(const xmlNode* node, const xmlNs* ns);

    const std::string& declarations() const { return declarations_; }  // ' xmlns:a="b"', as they are written
    const Scope& scope() const { return scope_; }                      // with those of the element itself
    bool has_namespace() const { return has_namespace_; }

  private:
    std::string declarations_;
    Scope scope_;
    std::size_t own_;  // where its own begin
    bool has_namespace_;
};

}  // namespace oai::xml
