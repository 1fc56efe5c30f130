// SPDX-License-Identifier: MIT
// A file descriptor that its one owner closes, and what tells one version of a file from another.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace oai {

class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) noexcept : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() {
        if (fd_ >= 0) ::close(fd_);
    }

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }
    // For files that were written: returns false with errno set if a write failed that is only
    // reported at the end, as on network file systems.
    bool close() noexcept { return ::close(release()) == 0; }

  private:
    int fd_ = -1;
};

// Writes all of the bytes, in as many calls as it takes. Returns false if it fails; errno says why.
inline bool write_all(const Fd& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n < 0 ? 0 : n));
    }
    return true;
}

// The state of a file by the result of stat(), which follows symbolic links: it differs once the
// file is written to, replaced by another of the same name, or has other rights.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;  // 0: no such file
    off_t bytes = 0;
    std::int64_t changed_nanoseconds = 0;
    bool operator==(const FileStamp&) const = default;

    static FileStamp of(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) return {};
        return {found.st_dev, found.st_ino, found.st_size,
                std::int64_t{found.st_ctim.tv_sec} * 1'000'000'000 + found.st_ctim.tv_nsec};
    }
};

}  // namespace oai
