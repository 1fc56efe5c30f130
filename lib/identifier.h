// SPDX-License-Identifier: MIT
// An item's identifier (OAI-PMH 2.0, 2.4): the repository's prefix "oai:<namespace>:" and behind it the item's local_id.
// An item that keeps the identifier it has elsewhere has a local_id that begins with a colon: what stands behind that is
// all of its identifier. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai {

struct Identifier {
    std::string_view prefix, rest;
};

inline Identifier identifier_of(std::string_view prefix, std::string_view local_id) {
    return local_id.starts_with(':') ? Identifier{{}, local_id.substr(1)} : Identifier{prefix, local_id};
}

inline std::string identifier_text(std::string_view prefix, std::string_view local_id) {
    const Identifier identifier = identifier_of(prefix, local_id);
    return std::string(identifier.prefix).append(identifier.rest);
}

// The other way round. "": nothing can have it.
inline std::string local_id_in(std::string_view prefix, std::string_view identifier) {
    if (!identifier.starts_with(prefix)) return identifier.empty() ? "" : std::string(":").append(identifier);
    const std::string_view rest = identifier.substr(prefix.size());
    return std::string(rest.starts_with(':') ? std::string_view() : rest);
}

}  // namespace oai
