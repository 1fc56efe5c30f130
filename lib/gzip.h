// SPDX-License-Identifier: MIT
// Bodies of answers as gzip (RFC 1952) by ISA-L, level 1. Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/spare_threads.h"

namespace oai {

constexpr std::size_t kParallelGzipBytes = std::size_t{256} << 10;

// One member; nullopt if it would not be shorter than the body. From kParallelGzipBytes on, another thread makes the
// second half where a core is idle.
std::optional<std::string> gzip_compressed(std::string_view body, SpareThreads* spare = nullptr);

}  // namespace oai
