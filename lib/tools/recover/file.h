// SPDX-License-Identifier: MIT
// Replaces files atomically, and locks files against other programs.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"

namespace oai::recover {

// Writes a file by way of a temporary one in the same file system, and rename: a program that is
// killed leaves the old file or the new one. A symbolic link at either name is replaced, not
// followed. Throws std::runtime_error; the old file is then unchanged, the temporary one removed.
void replace_file(const std::string& path, const std::string& temporary, std::string_view bytes);

// Locks the file or directory against other programs for the lifetime of the result; `make` creates
// a file that does not exist. Throws std::runtime_error if it cannot be opened, or if another
// program holds the lock. Has no effect in file systems without locks.
Fd lock_exclusively(const std::string& path, bool make);

}  // namespace oai::recover
