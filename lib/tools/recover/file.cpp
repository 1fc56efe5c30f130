// SPDX-License-Identifier: MIT
#include "tools/recover/file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace oai::recover {
void replace_file(const std::string& path, const std::string& temporary, std::string_view bytes) {
    std::filesystem::remove(temporary);
    Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file && write_all(file, bytes) && file.close() &&
        ::rename(temporary.c_str(), path.c_str()) == 0)
        return;
    const std::string why = std::strerror(errno);
    ::unlink(temporary.c_str());
    throw std::runtime_error(path + " cannot be written: " + why);
}

Fd lock_exclusively(const std::string& path, bool make) {
    Fd file(::open(path.c_str(), make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0666));
    if (!file) throw std::runtime_error(path + " cannot be opened: " + std::strerror(errno));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw std::runtime_error("another recovery is at work in " + path);
    return file;
}

}  // namespace oai::recover
