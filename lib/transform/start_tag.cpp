// SPDX-License-Identifier: MIT
#include "transform/start_tag.h"

#include <fmt/format.h>

#include <algorithm>

#include "transform/stylesheet_source.h"
#include "xml/escape.h"

namespace oai::transform {

const Declaration* in_force(const Scope& scope, std::string_view prefix) {
    const auto found = std::find_if(scope.rbegin(), scope.rend(),
                                    [&](const auto& d) { return d.prefix == prefix; });
    return found == scope.rend() ? nullptr : &*found;
}

void StartTag::declare(std::string_view prefix, std::string_view uri) {
    declarations_ += prefix.empty() ? " xmlns" : fmt::format(" xmlns:{}", prefix);
    declarations_ += "=\"";
    xml::append_attribute(declarations_, uri);
    declarations_ += '"';
    scope_.push_back({std::string(prefix), std::string(uri)});
}

void StartTag::acquire(const xmlNode* node, const xmlNs* ns) {
    if (ns == nullptr || view(ns->prefix) == "xml") return;
    const Declaration* known = in_force(scope_, view(ns->prefix));
    if (known != nullptr && known->uri == view(ns->href)) return;
    if (known != nullptr && known >= scope_.data() + own_)
        refuse(node, fmt::format("two namespaces for the prefix {}", view(ns->prefix)));
    declare(view(ns->prefix), view(ns->href));
}

void StartTag::acquire_own(const xmlNode* node, const xmlNs* ns) {
    has_namespace_ = ns != nullptr;
    acquire(node, ns);
    const bool around_has = around_ != nullptr && around_->has_namespace_;
    if (!has_namespace_ && around_has && in_force(scope_, "") != nullptr)
        refuse(node, "an element without namespace below a default namespace");
}

void StartTag::add_attribute(const xmlNode* node, std::string name) {
    if (std::find(attributes_.begin(), attributes_.end(), name) != attributes_.end())
        refuse(node, fmt::format("the attribute {} twice", name));
    attributes_.push_back(std::move(name));
}

}  // namespace oai::transform
