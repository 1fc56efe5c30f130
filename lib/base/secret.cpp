// SPDX-License-Identifier: MIT
#include "base/secret.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace oai {

std::string exposure_of(const struct ::stat& file) {
    if ((file.st_mode & (S_IWGRP | S_IXGRP | S_IRWXO)) == 0) return "";
    return "may be read by others or written by its group (chmod it to 640, keep its group as the "
           "reader's, and replace the secret in it)";
}

// A limit of 0 alone does not prevent a dump where core_pattern names a program; a process that is
// not dumpable is never dumped.
void forbid_core_dumps() {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_CORE, &none) != 0 || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw std::system_error(errno, std::generic_category(), "core dumps cannot be forbidden");
}

}  // namespace oai
