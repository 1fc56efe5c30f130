// SPDX-License-Identifier: MIT
// Protects secrets, which are token keys and passwords in the configuration: neither files that
// contain them nor the memory of a process that has read them may be accessible to others.
#pragma once

#include <sys/stat.h>

#include <string>

namespace oai {

// Returns "" if the permissions of the file are strict enough for a secret: readable by its owner
// and perhaps its group, writable by its owner alone. Else returns what is wrong and what to do
// about it.
std::string exposure_of(const struct ::stat& file);

// Prevents core dumps of this process, whatever the limits and the kernel's core_pattern are, and
// prevents other processes of the same user from attaching a debugger. Throws std::system_error.
void forbid_core_dumps();

}  // namespace oai
