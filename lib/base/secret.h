// SPDX-License-Identifier: MIT
// Protects secrets, which are token keys and passwords in the configuration: neither files that
// contain them nor the memory of a process that has read them may be accessible to others.
#pragma once

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace oai {

// Returns "" if the permissions of the file are strict enough for a secret: readable by its owner
// and perhaps its group, writable by its owner alone. Else returns what is wrong and what to do
// about it.
inline std::string exposure_of(const struct ::stat& file) {
    if ((file.st_mode & (S_IWGRP | S_IXGRP | S_IRWXO)) == 0) return "";
    return "may be read by others or written by its group (chmod it to 640, keep its group as the "
           "reader's, and replace the secret in it)";
}

// Prevents core dumps of this process, also where core_pattern names a program, and debuggers of
// the same user. Throws std::system_error.
inline void forbid_core_dumps() {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_CORE, &none) != 0 || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw std::system_error(errno, std::generic_category(), "core dumps cannot be forbidden");
}

}  // namespace oai
