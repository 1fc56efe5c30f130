// SPDX-License-Identifier: MIT
// Which files have stopped changing. A file that somebody is still writing looks like any other, so nothing is read
// before it was the same at two looks some time apart. Knows nothing of what the files hold. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace oai {

// What stat() says of the file behind a name, symbolic links followed: another file under the same name has another
// stamp, and so has one that was written to.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;  // 0: no such file
    off_t bytes = 0;
    std::int64_t modified_nanoseconds = 0;
    bool operator==(const FileStamp&) const = default;
    static FileStamp of(const std::string& path);
};

class SettledFiles {
  public:
    using Time = std::chrono::steady_clock::time_point;
    explicit SettledFiles(std::chrono::milliseconds settle) : settle_(settle) {}

    // A new round of looks; what is not looked at in it is forgotten when the next one begins.
    void begin(Time now);
    // Looks at the file, once a round. busy: somebody is known to be writing it.
    void look_at(const std::string& path, bool busy = false);

    // Of the latest look; the stamp of no file, and not settled, for a path never looked at.
    FileStamp stamp(const std::string& path) const;
    bool looked_at(const std::string& path) const { return seen_.contains(path); }
    bool settled(const std::string& path) const;  // absence settles too

  private:
    struct Seen {
        FileStamp stamp;
        Time since;
        int round;
    };
    const std::chrono::milliseconds settle_;
    Time now_{};
    int round_ = 0;
    std::map<std::string, Seen, std::less<>> seen_;
};

}  // namespace oai
