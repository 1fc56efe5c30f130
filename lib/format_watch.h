// SPDX-License-Identifier: MIT
// The formats that serve, and the thread that keeps them what the formats directory says: within two seconds of a file
// being whole there, its format serves on every worker, in one swap; or the log, status() and `oai check` say why not.
// It is told of changes by inotify, and looks for itself too, which alone finds them where inotify is not to be had.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/directory_notice.h"
#include "format_directory.h"
#include "store.h"

namespace oai {

struct FormatWatchOptions {
    std::string directory;
    bool by_inotify = true;
    std::string identifier_prefix;  // "oai:<namespace>:"
    bool compiled = true;           // CompiledOptions::compiled, for the log
};

// For a page that shows how the server is.
struct FormatStatus {
    std::vector<std::string> faults;  // "file:line: message": not as the directory says it should be
    std::int64_t live = 0;            // formats that went live since the start
    std::int64_t refused = 0;         // versions that did not
    std::int64_t removed = 0;
    bool by_inotify = false;
};

class FormatWatch {
  public:
    // Reads the directory. Throws Fault when it has no oai_dc that works. `samples`: where the records come from that a
    // new version is tried over, by a connection of its own while it is; the clock must outlive the watch.
    FormatWatch(FormatWatchOptions options, StoreOptions samples, const Clock& clock);
    ~FormatWatch();  // stops the thread; waits for a trial under way

    void start();  // once
    void judge_all_anew() noexcept;

    std::shared_ptr<const FormatRegistry> formats() const { return formats_.load(); }
    FormatStatus status() const;

  private:
    struct Samples;
    void run();
    void look();
    std::vector<std::string> judge(const Format& format, Samples& samples);
    void tell(const FormatEvent& event);
    void tell_live(const FormatEvent& event) const;
    void tell_way(const Format& format) const;

    const FormatWatchOptions options_;
    const StoreOptions samples_;
    const Clock& clock_;
    DirectoryNotice notice_;
    FormatDirectory directory_;
    std::atomic<std::shared_ptr<const FormatRegistry>> formats_;
    mutable std::mutex status_mutex_;
    FormatStatus status_;
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> anew_ = false;
    std::thread thread_;
};

}  // namespace oai
