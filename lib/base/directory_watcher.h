// SPDX-License-Identifier: MIT
// Waits until something happens in a directory, by inotify(7). It only wakes its caller early and
// knows which files are open for writing; the caller has to find out itself what changed. inotify
// reports nothing on network file systems, for the targets of symbolic links, and when its queue or
// its watches are exhausted. For use by one thread, except wake().
#pragma once

#include <chrono>
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

}  // namespace oai
