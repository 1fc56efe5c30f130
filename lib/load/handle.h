// SPDX-License-Identifier: MIT
// Owners of a file descriptor and of zlib's inflate state: close and inflateEnd are called here and nowhere else.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <memory>
#include <utility>

namespace oai::load {

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

struct EndInflate {
    void operator()(z_stream* z) const noexcept {
        inflateEnd(z);
        std::default_delete<z_stream>()(z);
    }
};
using InflateHandle = std::unique_ptr<z_stream, EndInflate>;

}  // namespace oai::load
