// SPDX-License-Identifier: MIT
// Holds the formats in service and reloads them when the formats directory changes, which its
// thread checks four times a second. Within two seconds after a file is complete, its format is in
// service in every worker by one atomic swap, or the log, faults() and `oai check` say why not.
// Thread-safe.
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

// The result of a scan for one file.
struct FormatEvent {
    enum class Kind { live, refused, removed } kind;
    std::string path;
    std::string why;                       // refused: "file:line: message", one per line
    bool has_changed = false;              // live: one of its files has changed
    std::shared_ptr<const Format> format;  // live: the new one; removed: the removed one
    // The previous format, which is replaced or stays in service; null: none.
    std::shared_ptr<const Format> before;
};

// Follows the changes of the formats directory and decides which version of each format is served.
// Changed files are loaded once neither the directory nor any import has changed for a while, since
// a file that is still being written cannot be recognised; after ten seconds of changes they are
// loaded anyway. If a new version is invalid, the last valid one stays in service. If a file is
// removed, so is its format, except for oai_dc, which OAI-PMH requires. A format that loads slowly
// does not delay others. Not thread-safe.
class FormatDirectory {
  public:
    using Time = std::chrono::steady_clock::time_point;
    // Loads and tries a file. Throws Fault with one "file:line: message" per line; otherwise the
    // format goes live. Called by several threads.
    using Load = std::function<std::shared_ptr<const Format>(const std::string& path)>;

    // Called after registry() has been updated.
    using Note = std::function<void(const std::vector<FormatEvent>&)>;

    // Loads the files, `side_by_side` at a time, without waiting for them to settle. only: prefixes
    // to serve in addition to oai_dc, separated by commas; "": all. Invalid files are skipped and
    // reported by faults(), so that they do not prevent a restart. Throws Fault with all faults if
    // oai_dc could not be loaded, and other exceptions of load().
    FormatDirectory(std::string directory, std::chrono::milliseconds settle, const Load& load,
                    std::size_t side_by_side = 1, std::string only = "");

    // Loads changed files once all have settled. Removed formats are served until then.
    void scan(Time now, const Load& load, const Note& note);

    // Whether a change has not settled yet, so that another scan is due soon.
    bool is_waiting() const { return is_waiting_; }
    // Makes the next scan treat every file as changed.
    void recheck_all() { recheck_all_ = true; }

    const std::shared_ptr<const FormatRegistry>& registry() const { return registry_; }
    // One "file:line: message" for each file that is not in service, and for the directory.
    std::vector<std::string> faults() const;

  private:
    using Versions = std::map<std::string, FileStamp>;  // by path
    struct File {
        std::shared_ptr<const Format> serving;  // null: none yet
        // The versions of the file and its imports that were checked last; empty: never checked.
        Versions checked_versions;
        // For a file with a fault: all files then, since a change of another may remove the fault.
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
    std::string name_conflict(const std::string& path, const Format& format) const;
    bool is_offered(const Format& format) const;
    void publish(const std::vector<FormatEvent>& removed);

    const std::string directory_;
    const std::chrono::milliseconds settle_;
    const std::size_t side_by_side_;
    const std::string only_;
    std::vector<std::string> format_paths_;  // of the format files, sorted
    // All files of the directory and its subdirectories, which a format may import.
    Versions all_files_;
    Versions seen_;        // these and imports from elsewhere, at the last scan
    Time changed_at_{};    // when seen_ changed last
    Time unsettled_at_{};  // when the current series of changes began
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
    // The program that runs trials (trial_process.h) and its arguments, to which the number of
    // samples and the file are added; empty: files are compiled without a trial.
    std::vector<std::string> trial_command;
};

class FormatWatch {
  public:
    // Loads the directory, each file after a trial without samples, since the database may be down.
    // Throws Fault without a valid oai_dc, and TrialStopped. The clock must outlive the watch.
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
    void log_execution(const Format& format) const;

    const FormatWatchOptions options_;
    const Clock& clock_;
    FormatDirectory directory_;
    std::atomic<std::shared_ptr<const FormatRegistry>> formats_;
    mutable std::mutex faults_mutex_;
    std::vector<std::string> faults_;
    std::atomic<bool> must_recheck_ = false;
    std::condition_variable_any woken_;
    std::jthread thread_;  // declared last, since it uses all members above
};

}  // namespace oai
