// SPDX-License-Identifier: MIT
#include "format/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "format/file.h"
#include "protocol/error.h"

namespace oai {
namespace {

namespace fs = std::filesystem;

// Levels of directories with imported stylesheets and schemas below the formats directory.
constexpr int kMaxDepth = 3;

// All files that a format may import, sorted. Throws Fault when the directory cannot be read.
std::vector<std::string> all_files_of(const std::string& directory) {
    std::vector<std::string> files;
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
            files.push_back(entry->path().string());
        }
    }
    if (error) throw Fault(fmt::format("{}: {}", directory, error.message()));
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

FormatDirectory::FormatDirectory(std::string directory, std::chrono::milliseconds settle,
                                 const Load& load)
    : directory_(std::move(directory)), stable_files_(settle) {
    scan(Time{}, load, [](const std::string&) { return false; });
    is_opening_ = false;
    if (!registry_) throw Fault(fmt::format("{}", fmt::join(faults(), "\n")));
}

std::vector<FormatEvent> FormatDirectory::scan(Time now, const Load& load, const IsOpen& is_open) {
    std::vector<FormatEvent> events;
    is_waiting_ = removed_ = false;
    stable_files_.begin_scan(now);
    if (!list(is_open)) return events;
    remove_missing(events);
    for (const std::string& path : format_paths_) {
        File& file = files_[path];
        if (is_due(path, file)) check(path, file, load, events);
    }
    recheck_all_ = recheck_all_ && is_waiting_;
    publish();
    return events;
}

// Returns false if the directory cannot be read; its files are then not taken as removed.
bool FormatDirectory::list(const IsOpen& is_open) {
    std::vector<std::string> all_files;
    try {
        format_paths_ = format_files_of(directory_);
        all_files = all_files_of(directory_);
        std::sort(format_paths_.begin(), format_paths_.end());
        directory_fault_.clear();
    } catch (const Fault& e) {
        directory_fault_ = e.what();
        return false;
    }
    all_files_.clear();
    for (const std::string& path : all_files) {
        stable_files_.observe(path, is_open(path));
        all_files_.emplace_back(path, stable_files_.stamp(path));
    }
    for (const auto& [path, file] : files_) {
        stable_files_.observe(path);
        for (const auto& [part, stamp] : file.checked_versions)
            stable_files_.observe(part, is_open(part));
    }
    return true;
}

// An editor may move the old file away before it gives the new one its name, so a file counts as
// removed only after its absence has settled.
void FormatDirectory::remove_missing(std::vector<FormatEvent>& events) {
    std::erase_if(
        files_,
        [&](const auto& entry) {
            const auto& [path, file] = entry;
            if (std::binary_search(format_paths_.begin(), format_paths_.end(), path)) return false;
            if (!stable_files_.is_stable(path)) {
                is_waiting_ = true;
                return false;
            }
            if (file.serving)
                events.push_back({FormatEvent::Kind::removed, path, "", file.serving, nullptr});
            removed_ = true;
            return true;
        });
}

bool FormatDirectory::is_due(const std::string& path, const File& file) {
    std::vector<std::string> parts{path};
    bool changed = file.checked_versions.empty() || recheck_all_;
    for (const auto& [part, stamp] : file.checked_versions) {
        changed = changed || stable_files_.stamp(part) != stamp;
        parts.push_back(part);
    }
    if (!file.fault.empty() && (removed_ || all_files_ != file.all_files)) {
        changed = true;
        for (const auto& [other, stamp] : all_files_) parts.push_back(other);
    }
    if (!changed || is_opening_) return changed;
    const bool settled = std::all_of(parts.begin(), parts.end(), [this](const std::string& part) {
        return stable_files_.is_stable(part);
    });
    is_waiting_ = is_waiting_ || !settled;
    return settled;
}

void FormatDirectory::check(const std::string& path, File& file, const Load& load,
                            std::vector<FormatEvent>& events) {
    std::shared_ptr<const Format> format;
    std::string fault;
    std::vector<std::string> parts{path};
    try {
        format = load(path);
        parts = format->files();
        fault = wrong_place(directory_, *format);
        if (fault.empty()) fault = taken_name(path, *format);
    } catch (const Fault& e) {
        fault = e.what();
    }
    Versions checked_versions;
    bool has_changed = false;  // a file changed while it was read, so the version that was checked
                               // is not the one on disk
    for (const std::string& part : parts) {
        checked_versions.emplace_back(part, FileStamp::of(part));
        has_changed = has_changed || (stable_files_.is_observed(part) &&
                                      stable_files_.stamp(part) != checked_versions.back().second);
    }
    if (has_changed) {
        is_waiting_ = true;
        return;
    }
    const bool is_other = checked_versions != file.checked_versions;
    const bool is_news = is_other || fault != file.fault || recheck_all_;
    file.checked_versions = std::move(checked_versions);
    file.all_files = fault.empty() ? Versions() : all_files_;
    file.fault = std::move(fault);
    if (!file.fault.empty()) {
        if (is_news)
            events.push_back({FormatEvent::Kind::refused, path, file.fault, nullptr, file.serving});
    } else {
        compare(*format, is_other, file);
        events.push_back({FormatEvent::Kind::live, path, file.unannounced, format, file.serving});
        file.serving = std::move(format);
    }
}

// A stylesheet that says the time makes each record otherwise each time, so only a change of a file
// is a change.
void FormatDirectory::compare(const Format& format, bool has_changed, File& file) {
    if (format.made.empty()) return;
    const auto [both, different] = format.made.compare(file.announced);
    const bool is_same = file.announced.empty() || format.since != file.announced_since ||
                         (file.unannounced.empty() && (!has_changed || both == 0)) ||
                         (both > 0 && different == 0);
    if (is_same) {
        file.announced_since = format.since;
        file.announced = format.made;
        file.unannounced.clear();
    } else if (different > 0) {
        file.unannounced = fmt::format(
            "{}:{}: {} of {} records come out otherwise than by the version before, under their "
            "old datestamps, so that incremental harvesters will not fetch them; oai format "
            "restamp {} tells harvesters, or put the version before back",
            format.path, format.line, different, both, format.prefix);
    }
}

// Returns "" or the fault that another format already serves under a name of this one.
std::string FormatDirectory::taken_name(const std::string& path, const Format& format) const {
    for (const auto& [other_path, other] : files_) {
        if (other_path == path || !other.serving) continue;
        if (const std::string* name = name_in_common(format, *other.serving))
            return fmt::format("{}:{}: {} is taken by {}", path, format.line, *name, other_path);
    }
    return "";
}

void FormatDirectory::publish() {
    std::vector<std::shared_ptr<const Format>> formats;
    for (const auto& [path, file] : files_)
        if (file.serving) formats.push_back(file.serving);
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

std::vector<std::string> FormatDirectory::unannounced() const {
    std::vector<std::string> all;
    for (const auto& [path, file] : files_)
        if (!file.unannounced.empty()) all.push_back(file.unannounced);
    return all;
}

}  // namespace oai
