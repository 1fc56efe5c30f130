// SPDX-License-Identifier: MIT
// A file that takes its place as a whole or not at all, whatever happens: it is written beside it
// under another name, of which nothing is left without finish().
#pragma once

#include <fcntl.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fd.h"

namespace oai {

// Throws std::runtime_error "PATH: why" for errno, as do all below.
[[noreturn]] inline void fail_at(const std::string& path) {
    throw std::runtime_error(path + ": " + std::generic_category().message(errno));
}

// Otherwise a new name may be lost in a power failure.
inline void sync_directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string directory = slash == path.npos ? "." : path.substr(0, slash + 1);
    const Fd opened(::open(directory.c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened || ::fsync(opened.get()) != 0) fail_at(directory);
}

// After a power failure: perhaps half of it; all of it if the name is new; all of it, and the name.
enum class Durable { no, content, name };

class NewFile {
  public:
    // part: the other name; PATH.part without it, and then what is there and no regular file, such
    // as /dev/stdout, is written into directly. Symbolic links to files are replaced.
    explicit NewFile(std::string path, std::string part = "")
        : path_(std::move(path)), part_(part.empty() ? path_ + ".part" : part) {
        if (part.empty() && std::filesystem::is_other(path_)) part_ = path_;
        if (part_ != path_) ::unlink(part_.c_str());
        const int how = part_ == path_ ? 0 : O_CREAT | O_EXCL | O_NOFOLLOW;
        file_ = Fd(::open(part_.c_str(), O_WRONLY | O_CLOEXEC | how, 0666));
        if (!file_) fail_at(part_ + ": cannot be written");
    }
    ~NewFile() {
        if (file_ && part_ != path_) ::unlink(part_.c_str());
    }
    NewFile(NewFile&&) noexcept = default;
    NewFile& operator=(NewFile&&) = delete;

    void write(std::string_view bytes) {
        if (!write_all(file_, bytes)) fail_at(part_ + ": cannot be written");
    }
    // Copies the owner and the mode of the old file.
    void keep_owner() {
        struct stat before {};
        if (::stat(path_.c_str(), &before) != 0 ||
            ::fchown(file_.get(), before.st_uid, before.st_gid) != 0 ||
            ::fchmod(file_.get(), before.st_mode & 07777U) != 0)
            fail_at(path_);
    }
    void finish(Durable durable = Durable::name) {
        const bool is_direct = part_ == path_;
        if (!is_direct && durable != Durable::no && ::fsync(file_.get()) != 0) fail_at(part_);
        if (file_.close() && (is_direct || std::rename(part_.c_str(), path_.c_str()) == 0)) {
            if (!is_direct && durable == Durable::name) sync_directory_of(path_);
            return;
        }
        const int why = errno;
        if (!is_direct) ::unlink(part_.c_str());
        errno = why;
        fail_at(path_);
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_, part_;
    Fd file_;
};

inline void replace_file(const std::string& path, std::string_view text,
                         Durable durable = Durable::name, const std::string& part = "") {
    NewFile file(path, part);
    file.write(text);
    file.finish(durable);
}

}  // namespace oai
