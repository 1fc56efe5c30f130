// SPDX-License-Identifier: MIT
#include "format/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <list>

#include "base/log.h"
#include "base/text.h"
#include "format/file.h"
#include "format/trial_process.h"
#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {
namespace {

namespace fs = std::filesystem;

// Levels of subdirectories that are searched for imported stylesheets and schemas.
constexpr int kMaxDepth = 3;

// All files that a format may import. Throws Fault if the directory cannot be read.
std::map<std::string, FileStamp> all_files_of(const std::string& directory) {
    std::map<std::string, FileStamp> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory,
                                           fs::directory_options::follow_directory_symlink, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            if (entry.depth() >= kMaxDepth || name.front() == '.')
                entry.disable_recursion_pending();
        } else if (name.front() != '.' && name.front() != '#' && name.back() != '~') {
            files.emplace(entry->path().string(), FileStamp::of(entry->path().string()));
        }
    }
    if (error) throw Fault(fmt::format("{}: {}", directory, error.message()));
    return files;
}

using std::chrono::milliseconds;

constexpr int kSampleRecords = 100;
constexpr std::size_t kSideBySide = 4;  // concurrent trials, each of which may need a gigabyte

// Together with loading and most trials these pauses stay below two seconds.
constexpr milliseconds kScanPause{250}, kSettle{500}, kLoadPause{20};
constexpr std::chrono::seconds kMaxSettle{10};

}  // namespace

FormatDirectory::FormatDirectory(std::string directory, std::chrono::milliseconds settle,
                                 const Load& load, std::size_t side_by_side, std::string only)
    : directory_(std::move(directory)),
      settle_(settle),
      side_by_side_(side_by_side),
      only_(std::move(only)) {
    scan(Time{}, load, [](const auto&) {});
    is_opening_ = false;
    if (!registry_) throw Fault(fmt::format("{}", fmt::join(faults(), "\n")));
}

// Files with a fault are loaded last. At the start, files are handled in order, so that the same
// one of two formats with the same prefix wins each time.
void FormatDirectory::scan(Time now, const Load& load, const Note& note) {
    if (!list() || !has_settled(now)) return;
    std::vector<FormatEvent> removed, events;
    remove_missing(removed);
    std::vector<std::string> due;
    for (const std::string& path : format_paths_)
        if (is_due(files_[path])) due.push_back(path);
    std::stable_partition(
        due.begin(), due.end(),
        [&](const std::string& path) { return files_[path].fault.empty(); });
    const auto is_ready = [](const auto& one) {
        return one.second.wait_for(milliseconds{0}) == std::future_status::ready;
    };
    std::list<std::pair<std::string, Loaded>> pending;
    for (auto next = due.begin(); next != due.end() || !pending.empty();) {
        for (; next != due.end() && pending.size() < side_by_side_; ++next)
            pending.emplace_back(*next, std::async(std::launch::async, load, *next));
        const auto ready = is_opening_ ? pending.begin() : std::ranges::find_if(pending, is_ready);
        if (ready == pending.end()) {
            pending.front().second.wait_for(kLoadPause);
            continue;
        }
        check(ready->first, files_[ready->first], ready->second, events);
        pending.erase(ready);
        publish(removed);
        note(std::exchange(events, {}));
    }
    recheck_all_ = recheck_all_ && is_waiting_;
    publish({});
    note(removed);
}

// Returns false if the directory cannot be read; its files do not count as removed then.
bool FormatDirectory::list() try {
    format_paths_ = format_files_of(directory_);
    std::sort(format_paths_.begin(), format_paths_.end());
    all_files_ = all_files_of(directory_);
    directory_fault_.clear();
    return true;
} catch (const Fault& e) {
    directory_fault_ = e.what();
    return false;
}

bool FormatDirectory::has_settled(Time now) {
    Versions versions = all_files_;
    for (const auto& [path, file] : files_)
        for (const auto& [part, stamp] : file.checked_versions)
            if (!versions.contains(part)) versions.emplace(part, FileStamp::of(part));
    if (versions != seen_) {
        seen_ = std::move(versions);
        changed_at_ = now;
        if (!is_waiting_) unsettled_at_ = now;
    }
    is_waiting_ = !is_opening_ && now - changed_at_ < settle_ && now - unsettled_at_ < kMaxSettle;
    return !is_waiting_;
}

// An editor may move the old file away before it gives the new one its name, so a file counts as
// removed only after its absence has settled.
void FormatDirectory::remove_missing(std::vector<FormatEvent>& events) {
    std::erase_if(
        files_,
        [&](const auto& entry) {
            const auto& [path, file] = entry;
            if (std::binary_search(format_paths_.begin(), format_paths_.end(), path)) return false;
            if (file.serving)
                events.push_back(
                    {FormatEvent::Kind::removed, path, "", true, file.serving, nullptr});
            return true;
        });
}

bool FormatDirectory::is_due(const File& file) const {
    return file.checked_versions.empty() || recheck_all_ ||
           (!file.fault.empty() && file.all_files != all_files_) ||
           std::any_of(
               file.checked_versions.begin(), file.checked_versions.end(),
               [](const auto& part) { return FileStamp::of(part.first) != part.second; });
}

void FormatDirectory::check(const std::string& path, File& file, Loaded& loaded,
                            std::vector<FormatEvent>& events) {
    std::shared_ptr<const Format> format;
    std::string fault;
    std::vector<std::string> parts{path};
    try {
        format = loaded.get();
        parts = format->files();
        fault = wrong_place(directory_, *format);
        if (fault.empty()) fault = name_conflict(path, *format);
    } catch (const Fault& e) {
        fault = e.what();
    }
    Versions checked_versions;
    bool is_changing = false;  // a file changed while it was read, so the version that was checked
                               // is not the one on disk
    for (const std::string& part : parts) {
        const FileStamp stamp = FileStamp::of(part);
        checked_versions.emplace(part, stamp);
        is_changing = is_changing || seen_.emplace(part, stamp).first->second != stamp;
    }
    if (is_changing) {
        is_waiting_ = true;
        return;
    }
    const bool has_changed = checked_versions != file.checked_versions;
    const bool is_new = has_changed || fault != file.fault || recheck_all_;
    file.checked_versions = std::move(checked_versions);
    file.all_files = fault.empty() ? Versions() : all_files_;
    file.fault = std::move(fault);
    if (!file.fault.empty()) {
        if (is_new)
            events.push_back(
                {FormatEvent::Kind::refused, path, file.fault, true, nullptr, file.serving});
    } else {
        events.push_back({FormatEvent::Kind::live, path, "", has_changed, format, file.serving});
        file.serving = std::move(format);
    }
}

// Returns a fault if another format already has one of the format's names, else "".
std::string FormatDirectory::name_conflict(const std::string& path, const Format& format) const {
    for (const auto& [other_path, other] : files_) {
        if (other_path == path || !other.serving) continue;
        if (const std::string* name = name_in_common(format, *other.serving))
            return fmt::format("{}:{}: {} is taken by {}", path, format.line, *name, other_path);
    }
    return "";
}

bool FormatDirectory::is_offered(const Format& format) const {
    if (only_.empty() || format.is_about || format.prefix == "oai_dc") return true;
    const auto prefixes = text::split(only_, ',');
    return std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return text::trim(prefix) == format.prefix; });
}

// removed: formats whose files were removed; they are served until another file has their name.
void FormatDirectory::publish(const std::vector<FormatEvent>& removed) {
    std::vector<std::shared_ptr<const Format>> formats;
    for (const auto& [path, file] : files_)
        if (file.serving) formats.push_back(file.serving);
    for (const FormatEvent& gone : removed)
        if (std::ranges::none_of(formats, [&](const auto& f) {
                return name_in_common(*f, *gone.format) != nullptr;
            }))
            formats.push_back(gone.format);
    std::erase_if(formats, [&](const auto& f) { return !is_offered(*f); });
    auto next = std::make_shared<const FormatRegistry>(formats);
    oai_dc_fault_.clear();
    if (next->find("oai_dc") == nullptr) {
        oai_dc_fault_ =
            fmt::format("{}: no format with the prefix oai_dc, which OAI-PMH demands", directory_);
        if (!registry_) return;
        oai_dc_fault_ += "; the last one goes on serving";
        const auto last = std::find_if(
            registry_->formats().begin(), registry_->formats().end(),
            [&](const auto& f) { return f.get() == registry_->find("oai_dc"); });
        std::erase_if(formats,
                      [&](const auto& f) { return name_in_common(*f, **last) != nullptr; });
        formats.push_back(*last);
        next = std::make_shared<const FormatRegistry>(std::move(formats));
    }
    const bool same = registry_ && registry_->formats() == next->formats() &&
                      registry_->abouts() == next->abouts();
    if (!same) registry_ = std::move(next);
}

std::vector<std::string> FormatDirectory::faults() const {
    std::vector<std::string> all;
    for (const std::string* fault : {&directory_fault_, &oai_dc_fault_})
        if (!fault->empty()) all.push_back(*fault);
    for (const auto& [path, file] : files_) {
        if (file.fault.empty()) continue;
        for (const std::string_view line : text::split(file.fault, '\n')) all.emplace_back(line);
    }
    return all;
}

FormatWatch::FormatWatch(FormatWatchOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      directory_(
          options_.formats.directory, kSettle,
          [this](const std::string& path) { return load(path, 0, {}); }, kSideBySide,
          options_.formats.only),
      formats_(directory_.registry()) {
    faults_ = directory_.faults();
    for (const std::string& fault : faults_)
        log::error("format", {{"state", "refused"}, {"why", fault}});
    for (const auto& format : directory_.registry()->formats()) log_execution(*format);
    for (const auto& about : directory_.registry()->abouts()) log_execution(*about);
}

void FormatWatch::start() {
    must_recheck_ = true;  // on samples; the loaded formats serve meanwhile
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void FormatWatch::recheck_all() noexcept {
    must_recheck_ = true;
    woken_.notify_all();
}

std::vector<std::string> FormatWatch::faults() const {
    const std::lock_guard lock(faults_mutex_);
    return faults_;
}

void FormatWatch::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        try {
            scan(stop);
        } catch (const TrialStopped&) {
            return;
        } catch (const std::exception& e) {
            // Out of memory or descriptors: the formats in service stay.
            log::error("format", {{"state", "not looked at"}, {"why", e.what()}});
        }
        std::unique_lock lock(faults_mutex_);
        woken_.wait_for(lock, stop, kScanPause, [this] { return must_recheck_.load(); });
    }
}

void FormatWatch::scan(const std::stop_token& stop) {
    if (must_recheck_.exchange(false)) directory_.recheck_all();
    directory_.scan(
        std::chrono::steady_clock::now(),
        [&](const std::string& path) { return load(path, kSampleRecords, stop); },
        [&](const std::vector<FormatEvent>& events) {
            formats_.store(directory_.registry());
            for (const FormatEvent& event : events) log_event(event);
            const std::lock_guard lock(faults_mutex_);
            faults_ = directory_.faults();
        });
}

// A file goes live without a trial on samples if there are no records or the database is down.
std::shared_ptr<const Format> FormatWatch::load(const std::string& path, int samples,
                                                const std::stop_token& stop) const {
    const std::string catalog = catalog_of(options_.formats);
    if (options_.trial_command.empty()) return compile_format_file(path, catalog);
    std::vector<std::string> command = options_.trial_command;
    command.insert(command.end(), {std::to_string(samples), path});
    const TrialAnswer trial = try_in_process(std::move(command), trial_limit(samples),
                                             [&] { return stop.stop_requested(); });
    if (!trial.untried.empty())
        log::warning("format", {{"state", "not tried"}, {"file", path}, {"why", trial.untried}});
    else if (trial.is_whole && trial.has_run && samples > 0)
        log::info("format", {{"state", "tried"},
                             {"prefix", trial.prefix},
                             {"records", trial.records},
                             {"bad", trial.failed},
                             {"first_bad", trial.first_failure},
                             {"schema", trial.schema_file}});
    if (!trial.schema_problem.empty())
        log::warning(
            "format",
            {{"state", "not validated"}, {"prefix", trial.prefix}, {"why", trial.schema_problem}});
    if (!trial.faults.empty()) throw Fault(fmt::format("{}", fmt::join(trial.faults, "\n")));
    auto format = compile_format_file(path, catalog);
    if (trial.differs) format->compiled->switch_off();
    return format;
}

void FormatWatch::log_event(const FormatEvent& event) const {
    switch (event.kind) {
        case FormatEvent::Kind::live: return log_live(event);
        case FormatEvent::Kind::removed:
            return log::warning(
                "format",
                {{"state", "removed"}, {"prefix", event.format->prefix}, {"file", event.path}});
        case FormatEvent::Kind::refused:
            for (const std::string_view line : text::split(event.why, '\n'))
                log::error("format", {{"state", "refused"},
                                      {"serving", event.before ? "the version before" : "none"},
                                      {"why", line}});
    }
}

// Harvesters fetch all records again if their last harvest was before `since`. One that harvested
// between `since` and now has the old content and will not fetch it again; hence the warnings.
void FormatWatch::log_live(const FormatEvent& event) const {
    const Format& format = *event.format;
    log::info("format", {{"state", "live"},
                         {"prefix", format.prefix},
                         {"file", event.path},
                         {"since", print_datestamp(format.since)}});
    if (event.before && event.has_changed && format.since == event.before->since)
        log::warning("format", {{"state", "since is as before"},
                                {"prefix", format.prefix},
                                {"why",
                                 "if records come out otherwise, harvesters that have them will "
                                 "not fetch them again; oai format restamp PREFIX tells them"}});
    if (event.before && format.since && format.since != event.before->since &&
        *format.since < clock_.now())
        log::warning("format", {{"state", "since is past"},
                                {"prefix", format.prefix},
                                {"why",
                                 "harvesters that came after it will not fetch the records again; "
                                 "a time a few minutes ahead reaches all"}});
    log_execution(format);
}

void FormatWatch::log_execution(const Format& format) const {
    log::info("format", {{"state", "loaded"},
                         {"prefix", format.prefix},
                         {"runs", execution_of(format, options_.formats.compiled)}});
}

}  // namespace oai
