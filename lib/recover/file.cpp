// SPDX-License-Identifier: MIT
#include "recover/file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace oai::recover {
namespace {

bool write_all(const Fd& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n < 0 ? 0 : n));
    }
    return true;
}

}  // namespace

void write_whole(const std::string& path, const std::string& beside, std::string_view bytes) {
    std::filesystem::remove(beside);
    Fd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file && write_all(file, bytes) && file.close() && ::rename(beside.c_str(), path.c_str()) == 0) return;
    const std::string why = std::strerror(errno);
    ::unlink(beside.c_str());
    throw std::runtime_error(path + " cannot be written: " + why);
}

Fd for_one(const std::string& path, bool make) {
    Fd file(::open(path.c_str(), make ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0666));
    if (!file) throw std::runtime_error(path + " cannot be opened: " + std::strerror(errno));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw std::runtime_error("another recovery is at work in " + path);
    return file;
}

}  // namespace oai::recover
