// SPDX-License-Identifier: MIT
#include "base/directory_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace oai {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kMaxOpen{30};
constexpr unsigned kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                             IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

}  // namespace

DirectoryWatcher::DirectoryWatcher(std::string directory, bool use_inotify)
    : directory_(std::move(directory)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
    if (use_inotify) inotify_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    watch_all();
}

void DirectoryWatcher::watch(const std::string& directory) {
    // For a directory that is watched already, inotify returns the same descriptor again.
    const int watch = ::inotify_add_watch(inotify_.get(), directory.c_str(), kEvents | IN_ONLYDIR);
    if (watch >= 0) watches_[watch] = directory;
}

// Called before each wait, since a directory may have been replaced by another of the same name.
void DirectoryWatcher::watch_all() {
    if (!inotify_) return;
    watch(directory_);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
        std::error_code ignored;
        if (entry.is_directory(ignored)) watch(entry.path().string());
    }
}

void DirectoryWatcher::wait(std::chrono::milliseconds timeout) {
    watch_all();
    // poll() ignores a negative descriptor.
    std::array<pollfd, 2> sources{{{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), static_cast<int>(timeout.count())) <= 0) return;
    std::uint64_t count = 0;
    while (::read(wake_.get(), &count, sizeof count) > 0) continue;
    if (inotify_) read_events();
}

void DirectoryWatcher::wake() noexcept {
    const std::uint64_t one = 1;
    // Fails only if the counter is at its maximum, so a wake-up is pending already.
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

void DirectoryWatcher::read_events() {
    alignas(inotify_event) std::array<char, 16384> buffer;
    for (ssize_t got = 0; (got = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0;) {
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const char* name = buffer.data() + at + sizeof event;
            handle_event(event.wd, event.mask, event.len == 0 ? "" : name);  // padded with NULs
            at += sizeof event + event.len;
        }
    }
}

void DirectoryWatcher::handle_event(int watch, unsigned mask, std::string_view name) {
    if ((mask & IN_Q_OVERFLOW) != 0) return open_.clear();
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    const std::string path = found->second + "/" + std::string(name);
    if ((mask & IN_MODIFY) != 0)
        open_[path] = steady_clock::now();
    else if ((mask & IN_ATTRIB) == 0)
        open_.erase(path);
    if ((mask & IN_IGNORED) != 0) watches_.erase(found);
}

bool DirectoryWatcher::is_open(const std::string& path) const {
    const auto found = open_.find(path);
    return found != open_.end() && steady_clock::now() - found->second < kMaxOpen;
}

FileStamp FileStamp::of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {
        found.st_dev,  found.st_ino,
        found.st_size, std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
        found.st_mode, found.st_uid,
        found.st_gid};
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
