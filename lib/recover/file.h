// SPDX-License-Identifier: MIT
// Writing files so that a program that is killed leaves the old one or the new one, and by one program at a time.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"

namespace oai::recover {

// By a file `beside`, in the same file system, and rename. What stood at either name is replaced, not followed if it is a symbolic
// link. Throws std::runtime_error: the old one is there still, and nothing beside it.
void write_whole(const std::string& path, const std::string& beside, std::string_view bytes);

// The file or directory, made if `make` says so and it is not there, for one program alone as long as the result lives. Throws
// std::runtime_error: it cannot be opened, or another has it. In file systems without locks nobody is refused.
Fd for_one(const std::string& path, bool make);

}  // namespace oai::recover
