// SPDX-License-Identifier: MIT
// The addresses of pages: paths, identifiers of records in them, and queries. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "web/request.h"

namespace oai {

// Whether the path is that of base_url, with or without a slash at its end.
inline bool is_base(std::string_view path, std::string_view mount) {
    return path == mount || (path.starts_with(mount) && path.substr(mount.size()) == "/");
}

// What a part of a path as the client sent it stands for; nullopt: nothing, or no text of XML.
// Unlike in a query, a plus is a plus there.
inline std::optional<std::string> decoded_path(std::string_view encoded) {
    std::string form;
    for (const char c : encoded)
        if (c == '+')
            form += "%2B";
        else
            form += c;
    auto decoded = text::percent_decode(form);
    if (!decoded || decoded->empty() || !text::is_xml_text(*decoded)) return std::nullopt;
    return decoded;
}

// The path below /browse, as "record/oai:example.org:1". Slashes and colons are not encoded, since
// many web servers reject encoded ones.
inline std::string record_path(std::string_view identifier) {
    return "record/" + text::percent_encode(identifier, "/:");
}

// An address from metadata as one that headers and links can hold: blanks, quotes, angle brackets,
// control characters and what is not ASCII are encoded.
inline std::string encoded_address(std::string_view address) {
    return text::percent_encode(address, "%:/?#[]@!$&'()*+,;=");
}

// The arguments as a query "a=1&b=2"; in values the characters of `kept` stay readable.
inline std::string query_of(const std::vector<Argument>& arguments, std::string_view kept) {
    std::string query;
    for (const auto& [name, value] : arguments)
        query.append(query.empty() ? "" : "&")
            .append(text::percent_encode(name) + "=" + text::percent_encode(value, kept));
    return query;
}

}  // namespace oai
