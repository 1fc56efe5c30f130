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
#include "base/config.h"
#include "base/directory_watcher.h"
#include "format/directory.h"

namespace oai {

struct FormatWatchOptions {
    Config::Formats formats;
    // The program that answers trials (trial_process.h) and its arguments, to which the number of
    // samples and the file are added; empty: files are only read, in this process.
    std::vector<std::string> trial_command;
};

// For the status page.
struct FormatStatus {
    std::vector<std::string> faults;  // see FormatDirectory::faults()
    // See FormatDirectory::unannounced().
    std::vector<std::string> unannounced;
    std::int64_t live = 0;     // formats that went live since the start
    std::int64_t refused = 0;  // new versions that were refused
    std::int64_t removed = 0;
    bool by_inotify = false;
};

class FormatWatch {
  public:
    // Loads the directory, each file after a trial without samples, since the database may be down.
    // Throws Fault if it has no oai_dc that works, TrialStopped if it is to stop meanwhile. The
    // clock must outlive the watch.
    FormatWatch(FormatWatchOptions options, const Clock& clock);
    ~FormatWatch();  // stops the thread and ends a trial

    void start();  // must be called only once
    void recheck_all() noexcept;

    std::shared_ptr<const FormatRegistry> formats() const { return formats_.load(); }
    FormatStatus status() const;

  private:
    void run();
    void scan();
    std::shared_ptr<const Format> load(const std::string& path, int samples) const;
    void log_event(const FormatEvent& event) const;
    void log_live(const FormatEvent& event) const;
    void log_way(const Format& format) const;

    const FormatWatchOptions options_;
    const Clock& clock_;
    std::atomic<bool> stopping_ = false;
    DirectoryWatcher watcher_;
    FormatDirectory directory_;
    std::atomic<std::shared_ptr<const FormatRegistry>> formats_;
    mutable std::mutex status_mutex_;
    FormatStatus status_;
    std::atomic<bool> must_recheck_ = false;
    std::thread thread_;
};

}  // namespace oai
