// SPDX-License-Identifier: MIT
// Writing files so that a program that is killed leaves the old one or the new one.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

// By a file `beside`, in the same file system, and rename. Throws std::runtime_error.
void write_whole(const std::string& path, const std::string& beside, std::string_view bytes);

}  // namespace oai::recover
