// SPDX-License-Identifier: MIT
#include "fcgi/deadline.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace oai::fcgi {

using std::chrono::steady_clock;

Deadlines::Deadlines(std::chrono::seconds limit)
    : limit_(limit), thread_([this](const std::stop_token& stop) { run(stop); }) {}

// Sleeps until the oldest watch would expire. A watch that ends early leaves the sleep too short,
// never too long.
void Deadlines::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const auto now = steady_clock::now();
        while (!watches_.empty() && watches_.front()->until_ <= now) {
            Watch& late = *watches_.front();
            late.expired_ = true;
            ::shutdown(late.fd_.get(), SHUT_RDWR);
            watches_.pop_front();
        }
        const auto wake = watches_.empty() ? now + limit_ : watches_.front()->until_;
        changed_.wait_until(lock, stop, wake, [] { return false; });
    }
}

Deadlines::Watch::Watch(Deadlines& deadlines, int fd)
    : deadlines_(deadlines), fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
    if (!fd_)
        throw std::system_error(errno, std::generic_category(),
                                "no descriptor left to watch a request");
    const std::lock_guard lock(deadlines_.mutex_);
    until_ = steady_clock::now() + deadlines_.limit_;
    place_ = deadlines_.watches_.insert(deadlines_.watches_.end(), this);
}

Deadlines::Watch::~Watch() {
    const std::lock_guard lock(deadlines_.mutex_);
    if (!expired_) deadlines_.watches_.erase(place_);
}

bool Deadlines::Watch::expired() const {
    const std::lock_guard lock(deadlines_.mutex_);
    return expired_;
}

}  // namespace oai::fcgi
