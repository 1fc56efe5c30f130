// SPDX-License-Identifier: MIT
#include "base/stop_signals.h"

#include <csignal>
#include <initializer_list>
#include <utility>

namespace oai {
namespace {

constexpr std::chrono::seconds kGrace{3};
constexpr int kWakeUp = SIGURG;  // ends the thread; nothing else sends it

sigset_t set_of(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals) sigaddset(&set, signal);
    return set;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> left) : left_(std::move(left)) {
    const sigset_t all = set_of({SIGTERM, SIGINT, kWakeUp});
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    thread_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    ::pthread_kill(thread_.native_handle(), kWakeUp);
    thread_.join();
}

bool StopSignals::requested() const {
    const std::lock_guard lock(mutex_);
    return requested_;
}

bool StopSignals::wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return requested_; });
}

void StopSignals::watch() {
    const sigset_t all = set_of({SIGTERM, SIGINT, kWakeUp});
    int signal = 0;
    ::sigwait(&all, &signal);
    std::unique_lock lock(mutex_);
    if (ended_) return;
    requested_ = true;
    changed_.notify_all();
    if (changed_.wait_for(lock, kGrace, [this] { return ended_; })) return;
    left_();
    const sigset_t one = set_of({signal});
    std::signal(signal, SIG_DFL);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    ::pthread_kill(::pthread_self(), signal);
}

}  // namespace oai
