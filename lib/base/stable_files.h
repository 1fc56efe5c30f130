// SPDX-License-Identifier: MIT
// Finds out which files have stopped changing. A file that is still being written looks like any
// other, so a file should only be read once it was the same in two scans some time apart. Does not
// read the files. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace oai {

// Identifies the state of a file by the result of stat(), which follows symbolic links: the stamp
// differs once the file is written to or replaced by another file of the same name.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;  // 0: no such file
    off_t bytes = 0;
    std::int64_t modified_nanoseconds = 0;
    bool operator==(const FileStamp&) const = default;
    static FileStamp of(const std::string& path);
};

class StableFiles {
  public:
    using Time = std::chrono::steady_clock::time_point;
    explicit StableFiles(std::chrono::milliseconds settle) : settle_(settle) {}

    // Begins a scan. Files that were not observed during the scan before are forgotten.
    void begin_scan(Time now);
    // Records the file's stamp, once a scan. busy: somebody is known to be writing the file.
    void observe(const std::string& path, bool busy = false);

    // The stamp at the latest scan; for a path that was never observed, that of a missing file.
    FileStamp stamp(const std::string& path) const;
    bool is_observed(const std::string& path) const { return observations_.contains(path); }
    // Whether the file has not changed for the time given to the constructor; a file that does not
    // exist can be stable too. False for a path that was never observed.
    bool is_stable(const std::string& path) const;

  private:
    struct Observation {
        FileStamp stamp;
        Time since;
        int scan;
    };
    const std::chrono::milliseconds settle_;
    Time now_{};
    int scan_ = 0;
    std::map<std::string, Observation, std::less<>> observations_;
};

}  // namespace oai
