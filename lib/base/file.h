// SPDX-License-Identifier: MIT
// Reads files whose path may turn out to be a FIFO, a device or a huge file.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/fd.h"

namespace oai {

// The content, if this is a regular file of at most so many bytes. A pipe, a device or a socket is
// not waited for. Throws std::runtime_error{"PATH: why"}.
inline std::string read_regular_file(const std::string& path, std::size_t max_bytes) {
    const auto fail = [&](const std::string& why) { throw std::runtime_error(path + ": " + why); };
    const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat found {};
    if (!file || ::fstat(file.get(), &found) != 0) fail(std::generic_category().message(errno));
    if (!S_ISREG(found.st_mode)) fail("no regular file");
    constexpr std::size_t kBlock = 65536;
    std::string bytes;
    for (std::size_t n = 0;;) {
        bytes.resize(n + std::max(kBlock, n));
        const ssize_t got = ::read(file.get(), bytes.data() + n, bytes.size() - n);
        if (got < 0 && errno != EINTR) fail(std::generic_category().message(errno));
        n += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
        if (n > max_bytes) fail("longer than " + std::to_string(max_bytes) + " bytes");
        if (got != 0) continue;
        bytes.resize(n);
        return bytes;
    }
}

}  // namespace oai
