// SPDX-License-Identifier: MIT
// Secrets: token keys, and passwords in the configuration. Files that hold them are for their user alone, and so is the
// memory of a process that has read them.
#pragma once

#include <sys/stat.h>

#include <string>

namespace oai {

// "" if a file of these permissions may hold a secret: read by its owner and perhaps its group, written by its owner
// alone. Else what is wrong, and what to do about it.
std::string exposure_of(const struct ::stat& file);

// No core dump of this process, whatever the limits and the kernel's core_pattern say, and no debugger of the same user
// upon it. Throws std::system_error.
void forbid_core_dumps();

}  // namespace oai
