// SPDX-License-Identifier: MIT
#include "format_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "error.h"
#include "format_file.h"

namespace oai {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 3;  // directories of imported stylesheets and schemas below the formats directory

bool is_below_too_deep(const fs::recursive_directory_iterator& entry) { return entry.depth() >= kDeepest; }

}  // namespace

FormatDirectory::FormatDirectory(std::string directory, std::chrono::milliseconds settle)
    : directory_(std::move(directory)), seen_(settle) {
    look(Time{}, [](const Format&) { return std::vector<std::string>(); }, [](const std::string&) { return false; });
    opening_ = false;
    if (registry_) return;
    std::string all;
    for (const std::string& fault : faults()) all += (all.empty() ? "" : "\n") + fault;
    throw Fault(all);
}

std::vector<FormatEvent> FormatDirectory::look(Time now, const Judge& judge_format, const Busy& busy) {
    std::vector<FormatEvent> events;
    waiting_ = removed_ = false;
    seen_.begin(now);
    if (!list(busy)) return events;
    remove_missing(events);
    for (const std::string& path : listed_) {
        File& file = files_[path];
        if (is_due(path, file)) judge(path, file, judge_format, events);
    }
    distrusted_ = distrusted_ && waiting_;
    publish();
    return events;
}

// False: the directory cannot be read, which is no reason to believe that its files are gone.
bool FormatDirectory::list(const Busy& busy) {
    listed_.clear();
    std::vector<std::string> around;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory_, fs::directory_options::follow_directory_symlink, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            if (is_below_too_deep(entry) || name.front() == '.') entry.disable_recursion_pending();
            continue;
        }
        if (name.front() == '.' || name.front() == '#' || name.back() == '~') continue;
        around.push_back(entry->path().string());
        const bool in_about = entry.depth() == 1 && entry->path().parent_path() == about_directory_of(directory_);
        if ((entry.depth() == 0 || in_about) && is_format_file_name(name)) listed_.push_back(around.back());
    }
    directory_fault_ = error ? fmt::format("{}: {}", directory_, error.message()) : "";
    if (error) return false;
    std::sort(listed_.begin(), listed_.end());
    std::sort(around.begin(), around.end());
    for (const std::string& path : around) seen_.look_at(path, busy(path));
    for (const auto& [path, file] : files_) {
        seen_.look_at(path);
        for (const auto& [part, stamp] : file.judged) seen_.look_at(part, busy(part));
    }
    around_ = versions_of(around);
    return true;
}

FormatDirectory::Versions FormatDirectory::versions_of(const std::vector<std::string>& paths) const {
    Versions versions;
    versions.reserve(paths.size());
    for (const std::string& path : paths) versions.emplace_back(path, seen_.stamp(path));
    return versions;
}

// Editors save by moving the old file away before the new one takes its name: absence must settle too.
void FormatDirectory::remove_missing(std::vector<FormatEvent>& events) {
    for (auto entry = files_.begin(); entry != files_.end();) {
        const auto& [path, file] = *entry;
        if (std::binary_search(listed_.begin(), listed_.end(), path)) {
            ++entry;
        } else if (!seen_.settled(path)) {
            waiting_ = true;
            ++entry;
        } else {
            if (file.serving) events.push_back({FormatEvent::Kind::removed, path, "", file.serving, nullptr});
            entry = files_.erase(entry);
            removed_ = true;
        }
    }
}

bool FormatDirectory::is_due(const std::string& path, const File& file) {
    std::vector<std::string> parts{path};
    bool changed = file.judged.empty() || distrusted_;
    for (const auto& [part, stamp] : file.judged) {
        changed = changed || seen_.stamp(part) != stamp;
        parts.push_back(part);
    }
    if (!file.fault.empty() && (removed_ || around_ != file.surroundings)) {
        changed = true;
        for (const auto& [other, stamp] : around_) parts.push_back(other);
    }
    if (!changed || opening_) return changed;
    const bool settled =
        std::all_of(parts.begin(), parts.end(), [this](const std::string& part) { return seen_.settled(part); });
    waiting_ = waiting_ || !settled;
    return settled;
}

void FormatDirectory::judge(const std::string& path, File& file, const Judge& judge_format,
                            std::vector<FormatEvent>& events) {
    std::shared_ptr<const Format> format;
    std::string fault;
    std::vector<std::string> parts{path};
    try {
        format = read_format_file(path);
        parts = format->stylesheet.files();
        fault = wrong_place(directory_, *format);
        if (fault.empty()) fault = taken_name(path, *format);
        if (fault.empty()) fault = fmt::format("{}", fmt::join(judge_format(*format), "\n"));
    } catch (const Fault& e) {
        fault = e.what();
    }
    Versions judged;
    bool moved = false;  // written to while it was read: what was judged is neither the one nor the other
    for (const std::string& part : parts) {
        judged.emplace_back(part, FileStamp::of(part));
        moved = moved || (seen_.looked_at(part) && seen_.stamp(part) != judged.back().second);
    }
    if (moved) {
        waiting_ = true;
        return;
    }
    const bool is_news = judged != file.judged || fault != file.fault || distrusted_;
    file.judged = std::move(judged);
    file.surroundings = fault.empty() ? Versions() : around_;
    file.fault = std::move(fault);
    if (!file.fault.empty()) {
        if (is_news) events.push_back({FormatEvent::Kind::refused, path, file.fault, nullptr, file.serving});
    } else {
        events.push_back({FormatEvent::Kind::live, path, "", format, file.serving});
        file.serving = std::move(format);
    }
}

// The format that had the name first keeps it.
std::string FormatDirectory::taken_name(const std::string& path, const Format& format) const {
    for (const auto& [other_path, other] : files_) {
        if (other_path == path || !other.serving) continue;
        if (const std::string* name = name_in_common(format, *other.serving)) {
            return fmt::format("{}:{}: {} is taken by {}", path, format.line, *name, other_path);
        }
    }
    return "";
}

void FormatDirectory::publish() {
    std::vector<std::shared_ptr<const Format>> formats;
    for (const auto& [path, file] : files_) {
        if (file.serving) formats.push_back(file.serving);
    }
    auto next = std::make_shared<const FormatRegistry>(formats);
    oai_dc_fault_.clear();
    if (next->find("oai_dc") == nullptr) {
        oai_dc_fault_ = fmt::format("{}: no format with the prefix oai_dc, which OAI-PMH demands", directory_);
        if (!registry_) return;
        oai_dc_fault_ += "; the last one goes on serving";
        const auto last = std::find_if(registry_->formats().begin(), registry_->formats().end(),
                                       [&](const auto& f) { return f.get() == registry_->find("oai_dc"); });
        std::erase_if(formats, [&](const auto& f) { return name_in_common(*f, **last) != nullptr; });
        formats.push_back(*last);
        next = std::make_shared<const FormatRegistry>(std::move(formats));
    }
    const bool same = registry_ && registry_->formats() == next->formats() && registry_->abouts() == next->abouts();
    if (!same) registry_ = std::move(next);
}

std::vector<std::string> FormatDirectory::faults() const {
    std::vector<std::string> all;
    for (const std::string* fault : {&directory_fault_, &oai_dc_fault_}) {
        if (!fault->empty()) all.push_back(*fault);
    }
    for (const auto& [path, file] : files_) {
        if (file.fault.empty()) continue;
        for (const std::string_view line : text::split(file.fault, '\n')) all.emplace_back(line);
    }
    return all;
}

}  // namespace oai
