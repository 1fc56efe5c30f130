// SPDX-License-Identifier: MIT
// Holds the formats in service and runs the thread that reloads them when the formats directory
// changes, at which it looks four times a second. Within two seconds after a file is complete, its
// format is in service on every worker by one atomic swap; otherwise the log, faults() and `oai
// check` say why not. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/fd.h"
#include "format/format.h"

namespace oai {

// What a scan did with a file.
struct FormatEvent {
    enum class Kind { live, refused, removed } kind;
    std::string path;
    std::string why;                       // refused: "file:line: message", one per line
    bool has_changed = false;              // live: one of its files is another than before
    std::shared_ptr<const Format> format;  // live: the new one; removed: the removed one
    // The one that it replaces, or that stays in service; null: none.
    std::shared_ptr<const Format> before;
};

// Follows the changes of the formats directory and decides which version of each format is served.
// Changed files are loaded once nothing in the directory and nothing that formats import has
// changed for a while, since a file that is still being written looks like any other; but what goes
// on changing for ten seconds holds up no other file. If a new version is broken, the last good one
// stays in service. If a file is removed, its format is too, except for oai_dc, which OAI-PMH
// requires. None waits for slow ones beside it. Not thread-safe.
class FormatDirectory {
  public:
    using Time = std::chrono::steady_clock::time_point;
    // Reads and tries a file. Throws Fault with "file:line: message" per line; otherwise the format
    // goes live. Called by several threads.
    using Load = std::function<std::shared_ptr<const Format>(const std::string& path)>;

    // Called with what registry() shows now.
    using Note = std::function<void(const std::vector<FormatEvent>&)>;

    // Loads the files, so many at a time, without waiting for them to settle. only: prefixes with
    // commas between, beside which only oai_dc is served; "": all are. Broken files are
    // skipped and reported by faults(), so that one of them does not prevent a restart. Throws
    // Fault with all faults if no oai_dc could be loaded, and what load() throws besides.
    FormatDirectory(std::string directory, std::chrono::milliseconds settle, const Load& load,
                    std::size_t side_by_side = 1, std::string only = "");

    // Loads changed files once all have settled. What is removed is served until then.
    void scan(Time now, const Load& load, const Note& note);

    // Something has changed that has not settled yet, so another scan is due soon.
    bool is_waiting() const { return is_waiting_; }
    // Makes the next scan treat every file as changed.
    void recheck_all() { recheck_all_ = true; }

    const std::shared_ptr<const FormatRegistry>& registry() const { return registry_; }
    // "file:line: message" for every file of the directory that is not in service as it is, and for
    // the directory itself; one line each.
    std::vector<std::string> faults() const;

  private:
    using Versions = std::map<std::string, FileStamp>;  // by path
    struct File {
        std::shared_ptr<const Format> serving;  // null: none yet
        // The file and its imports when it was last checked; empty: never checked.
        Versions checked_versions;
        // Of a file with a fault: all files at that time, since a change of another may mend it.
        Versions all_files{};
        std::string fault;
    };

    using Loaded = std::future<std::shared_ptr<const Format>>;
    bool list();
    bool has_settled(Time now);
    void remove_missing(std::vector<FormatEvent>& events);
    bool is_due(const File& file) const;
    void check(const std::string& path, File& file, Loaded& loaded,
               std::vector<FormatEvent>& events);
    std::string taken_name(const std::string& path, const Format& format) const;
    bool is_offered(const Format& format) const;
    void publish(const std::vector<FormatEvent>& removed);

    const std::string directory_;
    const std::chrono::milliseconds settle_;
    const std::size_t side_by_side_;
    const std::string only_;
    std::vector<std::string> format_paths_;  // of the format files, sorted
    // All files of the directory and its subdirectories, which a format may import.
    Versions all_files_;
    Versions seen_;        // these and what formats import from elsewhere, at the last scan
    Time changed_at_{};    // when that was last another than at the scan before
    Time unsettled_at_{};  // since when it has not settled
    std::map<std::string, File> files_;
    std::shared_ptr<const FormatRegistry> registry_;
    std::string directory_fault_;
    std::string oai_dc_fault_;
    bool is_waiting_ = false;
    bool recheck_all_ = false;
    bool is_opening_ = true;
};

struct FormatWatchOptions {
    Config::Formats formats;
    // The program that answers trials (trial_process.h) and its arguments, to which the number of
    // samples and the file are added; empty: files are only read, in this process.
    std::vector<std::string> trial_command;
};

class FormatWatch {
  public:
    // Loads the directory, each file after a trial without samples, since the database may be down.
    // Throws Fault if it has no oai_dc that works, TrialStopped if it is to stop meanwhile. The
    // clock must outlive the watch.
    FormatWatch(FormatWatchOptions options, const Clock& clock);
    // The destructor stops the thread and ends a trial.

    void start();  // must be called only once
    void recheck_all() noexcept;

    std::shared_ptr<const FormatRegistry> formats() const { return formats_.load(); }
    std::vector<std::string> faults() const;  // see FormatDirectory::faults()

  private:
    void run(const std::stop_token& stop);
    void scan(const std::stop_token& stop);
    std::shared_ptr<const Format> load(const std::string& path, int samples,
                                       const std::stop_token& stop) const;
    void log_event(const FormatEvent& event) const;
    void log_live(const FormatEvent& event) const;
    void log_way(const Format& format) const;

    const FormatWatchOptions options_;
    const Clock& clock_;
    FormatDirectory directory_;
    std::atomic<std::shared_ptr<const FormatRegistry>> formats_;
    mutable std::mutex faults_mutex_;
    std::vector<std::string> faults_;
    std::atomic<bool> must_recheck_ = false;
    std::condition_variable_any woken_;
    std::jthread thread_;  // the last, since it uses all of the above
};

}  // namespace oai
