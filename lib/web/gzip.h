// SPDX-License-Identifier: MIT
// Compresses the bodies of responses with gzip (RFC 1952), by ISA-L at level 1. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace oai {

// Returns one gzip member, or nullopt if it would not be shorter than the body.
std::optional<std::string> gzip_compress(std::string_view body);

}  // namespace oai
