// SPDX-License-Identifier: MIT
// The addresses of pages: paths, identifiers of records in them, and queries. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/request.h"

namespace oai {

// Whether the path is that of base_url, with or without a slash at its end.
bool is_base(std::string_view path, std::string_view mount);

// What a part of a path as the client sent it stands for; nullopt: nothing, or no text of XML.
std::optional<std::string> decoded_path(std::string_view encoded);

// The path below /browse, as "record/oai:example.org:1". Slashes and colons are not encoded, since
// many web servers reject encoded ones.
std::string record_path(std::string_view identifier);

// An address from metadata as one that headers and links can hold: blanks, quotes, angle brackets,
// control characters and what is not ASCII are encoded.
std::string encoded_address(std::string_view address);

// The arguments as a query "a=1&b=2"; in values the characters of `kept` stay readable.
std::string query_of(const std::vector<Argument>& arguments, std::string_view kept);

}  // namespace oai
