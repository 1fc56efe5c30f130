// SPDX-License-Identifier: MIT
#include "base/settled_files.h"

#include <sys/stat.h>

namespace oai {

FileStamp FileStamp::of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_size,
            std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

void SettledFiles::begin(Time now) {
    std::erase_if(seen_, [this](const auto& entry) { return entry.second.round != round_; });
    now_ = now;
    ++round_;
}

void SettledFiles::look_at(const std::string& path, bool busy) {
    const auto [entry, is_new] = seen_.try_emplace(path, Seen{{}, now_, 0});
    Seen& seen = entry->second;
    if (seen.round == round_) return;
    const FileStamp stamp = FileStamp::of(path);
    if (is_new || busy || stamp != seen.stamp) seen.since = now_;
    seen.stamp = stamp;
    seen.round = round_;
}

FileStamp SettledFiles::stamp(const std::string& path) const {
    const auto found = seen_.find(path);
    return found == seen_.end() ? FileStamp{} : found->second.stamp;
}

bool SettledFiles::settled(const std::string& path) const {
    const auto found = seen_.find(path);
    return found != seen_.end() && now_ - found->second.since >= settle_;
}

}  // namespace oai
