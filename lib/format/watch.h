// SPDX-License-Identifier: MIT
// Holds the formats in service and runs the thread that reloads them when the formats directory
// changes. Within two seconds after a file is complete, its format is in service on every worker by
// one atomic swap; otherwise the log, status() and `oai check` say why not. Changes are reported by
// inotify and also found by polling, which is enough where inotify is not available. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/directory_watcher.h"
#include "format/directory.h"
#include "store/store.h"

namespace oai {

struct FormatWatchOptions {
    std::string directory;
    bool by_inotify = true;
    std::string identifier_prefix;  // "oai:<namespace>:"
    bool compiled = true;           // CompiledOptions::compiled, for the log
};

// For the status page.
struct FormatStatus {
    std::vector<std::string> faults;  // see FormatDirectory::faults()
    std::int64_t live = 0;            // formats that went live since the start
    std::int64_t refused = 0;         // new versions that were refused
    std::int64_t removed = 0;
    bool by_inotify = false;
};

class FormatWatch {
  public:
    // Loads the directory. Throws Fault if it has no oai_dc that works. `samples`: the store with
    // the records on which new versions are tried, by a connection that is open only during the
    // trial. The clock must outlive the watch.
    FormatWatch(FormatWatchOptions options, StoreOptions samples, const Clock& clock);
    ~FormatWatch();  // stops the thread, after waiting for a running trial

    void start();  // must be called only once
    void recheck_all() noexcept;

    std::shared_ptr<const FormatRegistry> formats() const { return formats_.load(); }
    FormatStatus status() const;

  private:
    struct Samples;
    void run();
    void scan();
    std::vector<std::string> check(const Format& format, Samples& samples);
    void log_event(const FormatEvent& event) const;
    void log_live(const FormatEvent& event) const;
    void log_way(const Format& format) const;

    const FormatWatchOptions options_;
    const StoreOptions samples_;
    const Clock& clock_;
    DirectoryWatcher watcher_;
    FormatDirectory directory_;
    std::atomic<std::shared_ptr<const FormatRegistry>> formats_;
    mutable std::mutex status_mutex_;
    FormatStatus status_;
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> must_recheck_ = false;
    std::thread thread_;
};

}  // namespace oai
