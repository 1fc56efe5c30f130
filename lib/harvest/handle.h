// SPDX-License-Identifier: MIT
// The owner of a file descriptor: closed here and nowhere else.
#pragma once

#include <unistd.h>

#include <utility>

namespace oai::harvest {

class FileHandle {
  public:
    FileHandle() = default;
    explicit FileHandle(int fd) : fd_(fd) {}
    FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~FileHandle() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_ = -1;
};

}  // namespace oai::harvest
