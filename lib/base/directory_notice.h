// SPDX-License-Identifier: MIT
// Sleeps until something happens in a directory, by inotify(7). It only wakes its caller early and knows which files
// are open for writing; what really changed, the caller looks at itself: inotify is silent on network file systems,
// on what symbolic links point to, and when its queue or its watches run out. One thread, but for wake().
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace oai {

class DirectoryNotice {
  public:
    // by_inotify false: sleep() only knows time and wake(). Never throws for inotify's sake: see by_inotify().
    DirectoryNotice(std::string directory, bool by_inotify);

    // Whether the directory itself is watched now.
    bool by_inotify() const { return !watches_.empty(); }

    // Until something happens in the directory or one directly below it, wake() is called, or that time has passed.
    void sleep(std::chrono::milliseconds longest);
    void wake() noexcept;  // from any thread, also before sleep()

    // Written to and not yet closed, as far as inotify tells; forgotten after half a minute without a write, for a
    // writer that never closes must not keep the file back for ever.
    bool is_open(const std::string& path) const;

  private:
    using Time = std::chrono::steady_clock::time_point;
    void watch(const std::string& directory);
    void watch_all();
    void read_events();
    void take_event(int watch, unsigned mask, std::string_view name);

    const std::string directory_;
    Fd inotify_;  // none: not by inotify
    const Fd wake_;
    std::map<int, std::string> watches_;
    std::map<std::string, Time, std::less<>> open_;
};

}  // namespace oai
