// SPDX-License-Identifier: MIT
// A file descriptor with one owner, the only one who closes it. Knows nothing of what is behind it.
#pragma once

#include <unistd.h>

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
    // For files that were written: false where only the end says that it failed, as over a network; errno says how.
    bool close() noexcept { return ::close(release()) == 0; }

  private:
    int fd_ = -1;
};

}  // namespace oai
