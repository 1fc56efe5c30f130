// SPDX-License-Identifier: MIT
// Waits until something happens in a directory, by inotify(7). It only wakes its caller early and
// knows which files are open for writing; the caller has to find out itself what changed. inotify
// reports nothing on network file systems, for the targets of symbolic links, and when its queue or
// its watches are exhausted. For use by one thread, except wake().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace oai {

class DirectoryWatcher {
  public:
    // Without use_inotify, wait() ends by timeout or wake() alone. Does not throw if inotify is not
    // available; see uses_inotify().
    DirectoryWatcher(std::string directory, bool use_inotify);

    // Whether the directory is being watched by inotify.
    bool uses_inotify() const { return !watches_.empty(); }

    // Returns when something happens in the directory or in one directly below it, when wake() is
    // called, or after the timeout.
    void wait(std::chrono::milliseconds timeout);
    void wake() noexcept;  // from any thread, also before wait()

    // Whether inotify has reported a write to the file and no close since. After half a minute
    // without a write the file counts as closed, so that a writer that never closes it cannot keep
    // it back for ever.
    bool is_open(const std::string& path) const;

  private:
    using Time = std::chrono::steady_clock::time_point;
    void watch(const std::string& directory);
    void watch_all();
    void read_events();
    void handle_event(int watch, unsigned mask, std::string_view name);

    const std::string directory_;
    Fd inotify_;  // empty: inotify is not used
    const Fd wake_;
    std::map<int, std::string> watches_;             // watch descriptor -> directory
    std::map<std::string, Time, std::less<>> open_;  // path -> last write
};

// Finds out which files have stopped changing. A file that is still being written looks like any
// other, so a file should only be read once it was the same in two scans some time apart. Does not
// read the files. Not thread-safe.

// Identifies the state of a file by the result of stat(), which follows symbolic links: the stamp
// differs once the file is written to or replaced by another file of the same name.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;  // 0: no such file
    off_t bytes = 0;
    std::int64_t modified_nanoseconds = 0;
    mode_t mode = 0;  // with the owners: who may read it
    uid_t owner = 0;
    gid_t group = 0;
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
