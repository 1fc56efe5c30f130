// SPDX-License-Identifier: MIT
// The identifier of an item (OAI-PMH 2.0, 2.4): the repository's prefix "oai:<namespace>:" followed
// by the item's local_id. If an item keeps its identifier from another repository, its local_id is
// a colon followed by the complete identifier. Pure.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace oai
