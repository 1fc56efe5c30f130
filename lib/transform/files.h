// SPDX-License-Identifier: MIT
// Which files of this machine a stylesheet reaches. Pure but for looking at the file system.
#pragma once

#include <optional>
#include <string>

namespace oai::transform {

// The path that a URI of the scheme file, or of none, means; nullopt: it is an address.
std::optional<std::string> path_of(const char* uri);

// The directory of the file, symbolic links and .. resolved. Throws xml::Error "path: message" if
// the file does not exist.
std::string canonical_directory_of(const std::string& path);

// The file, symbolic links and .. resolved, if it exists within the directory. REQUIRES: the
// directory is canonical.
std::optional<std::string> file_within(const std::string& directory, const std::string& path);

// What a path from the directory reaches by its first step: that directory, which may be a symbolic
// link to where somebody keeps his files; of a mere name the directory itself. Canonical. Throws
// xml::Error "path: message" if it does not exist.
std::string first_directory(const std::string& directory, const std::string& path);

}  // namespace oai::transform
