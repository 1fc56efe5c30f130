// SPDX-License-Identifier: MIT
// Reads files that somebody may have put in place of another kind of thing.
#pragma once

#include <cstddef>
#include <string>

namespace oai {

// The content, if this is a regular file of at most so many bytes. A pipe, a device or a socket is
// not waited for. Throws std::runtime_error{"PATH: why"}.
std::string read_regular_file(const std::string& path, std::size_t max_bytes);

}  // namespace oai
