// SPDX-License-Identifier: MIT
#include "base/stable_files.h"

#include <sys/stat.h>

namespace oai {

FileStamp FileStamp::of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_size,
            std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

void StableFiles::begin_scan(Time now) {
    std::erase_if(observations_, [this](const auto& entry) { return entry.second.scan != scan_; });
    now_ = now;
    ++scan_;
}

void StableFiles::observe(const std::string& path, bool busy) {
    const auto [entry, is_new] = observations_.try_emplace(path, Observation{{}, now_, 0});
    Observation& observation = entry->second;
    if (observation.scan == scan_) return;
    const FileStamp stamp = FileStamp::of(path);
    if (is_new || busy || stamp != observation.stamp) observation.since = now_;
    observation.stamp = stamp;
    observation.scan = scan_;
}

FileStamp StableFiles::stamp(const std::string& path) const {
    const auto found = observations_.find(path);
    return found == observations_.end() ? FileStamp{} : found->second.stamp;
}

bool StableFiles::is_stable(const std::string& path) const {
    const auto found = observations_.find(path);
    return found != observations_.end() && now_ - found->second.since >= settle_;
}

}  // namespace oai
