// SPDX-License-Identifier: MIT
// The identifier of an item (OAI-PMH 2.0, 2.4): the repository's prefix "oai:<namespace>:" followed
// by the item's local_id. If an item keeps its identifier from another repository, its local_id is
// a colon followed by the complete identifier. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"

namespace oai {

struct Identifier {
    std::string_view prefix, rest;
};

inline Identifier identifier_of(std::string_view prefix, std::string_view local_id) {
    return local_id.starts_with(':') ? Identifier{{}, local_id.substr(1)}
                                     : Identifier{prefix, local_id};
}

inline std::string identifier_text(std::string_view prefix, std::string_view local_id) {
    const Identifier identifier = identifier_of(prefix, local_id);
    return std::string(identifier.prefix).append(identifier.rest);
}

// The local_id for an identifier; "" if no item can have that identifier.
inline std::string local_id_in(std::string_view prefix, std::string_view identifier) {
    if (!identifier.starts_with(prefix))
        return identifier.empty() ? "" : std::string(":").append(identifier);
    const std::string_view rest = identifier.substr(prefix.size());
    return std::string(rest.starts_with(':') ? std::string_view() : rest);
}

// The syntax of a setSpec (OAI-PMH 2.0, 2.6, and setSpecType of OAI-PMH.xsd): labels of
// A-Za-z0-9-_.!~*'() joined by ':'.

inline bool is_label_character(char c) {
    constexpr std::string_view kMarks = "-_.!~*'()";
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
}

inline bool is_label(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), is_label_character);
}

inline bool is_set_spec(std::string_view s) {
    for (std::size_t colon = s.find(':'); colon != std::string_view::npos; colon = s.find(':')) {
        if (!is_label(s.substr(0, colon))) return false;
        s.remove_prefix(colon + 1);
    }
    return is_label(s);
}

// metadataPrefixType of OAI-PMH.xsd, which has the alphabet of a label.
inline bool is_metadata_prefix(std::string_view s) { return is_label(s); }

// Makes a label from any bytes: '~' and each byte that a setSpec does not allow are written as ~HH
// with upper-case digits, so different bytes give different labels. "svg+xml" becomes "svg~2Bxml".
// The empty string stays empty and is not a label.
inline std::string set_label(std::string_view bytes) {
    std::string label;
    label.reserve(bytes.size());
    for (const char c : bytes)
        if (is_label_character(c) && c != '~')
            label.push_back(c);
        else
            text::append_hex(label += '~', c);
    return label;
}

}  // namespace oai
