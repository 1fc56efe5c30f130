// SPDX-License-Identifier: MIT
// Steps through the tree of a static repository. Pure.
#pragma once

#include <string>
#include <string_view>

#include "xml/handle.h"
#include "xml/push_parser.h"

namespace oai::static_repository {

inline constexpr std::string_view kOaiNamespace = "http://www.openarchives.org/OAI/2.0/";

// n itself or the first element behind it among its siblings; nullptr if there is none.
inline xmlNode* first_element(xmlNode* n) {
    while (n != nullptr && !xml::is_element(n)) n = n->next;
    return n;
}
inline const xmlNode* first_element(const xmlNode* n) {
    return first_element(const_cast<xmlNode*>(n));
}
inline xmlNode* next_element(const xmlNode* n) { return first_element(n->next); }

inline bool is(const xmlNode* n, std::string_view name, std::string_view name_space) {
    return xml::name_of(n) == name && xml::namespace_of(n) == name_space;
}
inline bool is_oai(const xmlNode* n, std::string_view name) { return is(n, name, kOaiNamespace); }

inline std::string tag_of(const xmlNode* n) { return "<" + std::string(xml::name_of(n)) + ">"; }

// The text of the first child of this name in OAI-PMH's namespace; "" if there is none.
inline std::string text_in(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = first_element(parent->children); n != nullptr; n = next_element(n))
        if (is_oai(n, name)) return xml::text_of(n);
    return "";
}

}  // namespace oai::static_repository
