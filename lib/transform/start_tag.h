// SPDX-License-Identifier: MIT
// The start tag of an element of the result, while a stylesheet is compiled: which namespaces it
// declares, which are in force, and what attributes it has. Private to the compiler.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>
#include <vector>

#include "transform/stored_tree.h"

namespace oai::transform {

// The innermost declaration of the prefix; nullptr if there is none. Valid until the scope grows.
const Declaration* in_force(const Scope& scope, std::string_view prefix);

class StartTag {
  public:
    // `around`: of the element that holds this one, which must outlive it; nullptr: none does.
    explicit StartTag(const StartTag* around)
        : around_(around),
          scope_(around != nullptr ? around->scope_ : Scope()),
          own_(scope_.size()) {}

    // Each of these refuses, in the name of the node, what XML or libxslt would write otherwise.
    // xmlNewNs on the element. REQUIRES: it has none of that prefix.
    void declare(std::string_view prefix, std::string_view uri);
    // xsltGetSpecialNamespace for an attribute, and for the element itself; nullptr: no namespace.
    void acquire(const xmlNode* node, const xmlNs* ns);
    void acquire_own(const xmlNode* node, const xmlNs* ns);
    void add_attribute(const xmlNode* node, std::string name);

    // ' xmlns:a="b"', as they are written.
    const std::string& declarations() const { return declarations_; }
    // With those of the element itself.
    const Scope& scope() const { return scope_; }

  private:
    const StartTag* const around_;
    std::string declarations_;
    Scope scope_;
    std::size_t own_;  // where its own begin
    bool has_namespace_ = false;
    std::vector<std::string> attributes_;
};

}  // namespace oai::transform
