// SPDX-License-Identifier: MIT
// Compresses the bodies of responses with gzip (RFC 1952), by ISA-L at level 1. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/helper_pool.h"

namespace oai {

constexpr std::size_t kParallelGzipBytes = std::size_t{256} << 10;

// Returns one gzip member, or nullopt if it would not be shorter than the body. If the body has at
// least kParallelGzipBytes and a core is idle, a thread of `helpers` compresses the second half.
std::optional<std::string> gzip_compress(std::string_view body, HelperPool* helpers = nullptr);

}  // namespace oai
