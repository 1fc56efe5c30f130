// SPDX-License-Identifier: MIT
#include "base/directory_notice.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace oai {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestOpen{30};
constexpr unsigned kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                             IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

}  // namespace

DirectoryNotice::DirectoryNotice(std::string directory, bool by_inotify)
    : directory_(std::move(directory)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
    if (by_inotify) inotify_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    watch_all();
}

void DirectoryNotice::watch(const std::string& directory) {
    const int number = ::inotify_add_watch(inotify_.get(), directory.c_str(), kEvents | IN_ONLYDIR);
    if (number >= 0) watches_[number] = directory;  // the number it had, if it is watched already
}

// Again and again, since a name may stand for another directory tomorrow.
void DirectoryNotice::watch_all() {
    if (!inotify_) return;
    watch(directory_);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
        std::error_code ignored;
        if (entry.is_directory(ignored)) watch(entry.path().string());
    }
}

void DirectoryNotice::sleep(std::chrono::milliseconds longest) {
    watch_all();
    std::array<pollfd, 2> wanted{{{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};  // a negative descriptor is passed over
    if (::poll(wanted.data(), wanted.size(), static_cast<int>(longest.count())) <= 0) return;
    std::uint64_t count = 0;
    while (::read(wake_.get(), &count, sizeof count) > 0) continue;
    if (inotify_) read_events();
}

void DirectoryNotice::wake() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);  // fails only where it is awake already
}

void DirectoryNotice::read_events() {
    alignas(inotify_event) std::array<char, 16384> buffer;
    for (ssize_t got = 0; (got = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0;) {
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const char* name = buffer.data() + at + sizeof event;
            take_event(event.wd, event.mask, event.len == 0 ? "" : name);  // padded with NULs
            at += sizeof event + event.len;
        }
    }
}

void DirectoryNotice::take_event(int number, unsigned mask, std::string_view name) {
    if ((mask & IN_Q_OVERFLOW) != 0) return open_.clear();
    const auto found = watches_.find(number);
    if (found == watches_.end()) return;
    const std::string path = found->second + "/" + std::string(name);
    if ((mask & IN_MODIFY) != 0) {
        open_[path] = steady_clock::now();
    } else if ((mask & IN_ATTRIB) == 0) {
        open_.erase(path);
    }
    if ((mask & IN_IGNORED) != 0) watches_.erase(found);
}

bool DirectoryNotice::is_open(const std::string& path) const {
    const auto found = open_.find(path);
    return found != open_.end() && steady_clock::now() - found->second < kLongestOpen;
}

}  // namespace oai
