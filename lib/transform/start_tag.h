// SPDX-License-Identifier: MIT
// The namespaces in force in the result while a stylesheet is compiled, and which of them the start
// tag of an element declares. Private to the compiler.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>

#include "transform/tree_copier.h"

namespace oai::transform {

// The innermost declaration of the prefix; nullptr if there is none. Valid until the scope grows.
const Declaration* in_force(const Scope& scope, std::string_view prefix);

class StartTag {
  public:
    StartTag(const Scope& around, bool has_namespace)
        : scope_(around), own_(around.size()), has_namespace_(has_namespace) {}

    // xmlNewNs on the element. REQUIRES: it has none of that prefix.
    void declare(std::string_view prefix, std::string_view uri);
    // xsltGetSpecialNamespace for the element itself or an attribute: declares what is not in
    // force. Refuses, in the name of the node, two namespaces of one prefix.
    void acquire(const xmlNode* node, const xmlNs* ns);

    // ' xmlns:a="b"', as they are written.
    const std::string& declarations() const { return declarations_; }
    // With those of the element itself.
    const Scope& scope() const { return scope_; }
    bool has_namespace() const { return has_namespace_; }

  private:
    std::string declarations_;
    Scope scope_;
    std::size_t own_;  // where its own begin
    bool has_namespace_;
};

}  // namespace oai::transform
