// SPDX-License-Identifier: MIT
// Blocks SIGTERM and SIGINT in all threads, to be polled where work can stop. Must be created
// before any thread is started; stop_requested() is thread-safe.
#pragma once

#include <atomic>
#include <csignal>
#include <ctime>

namespace oai::command {

class StopSignals {
  public:
    StopSignals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGTERM);
        sigaddset(&set_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    }
    bool stop_requested() {
        const timespec now{};
        if (!requested_ && sigtimedwait(&set_, nullptr, &now) > 0) requested_ = true;
        return requested_;
    }

  private:
    sigset_t set_{};
    std::atomic<bool> requested_{false};
};

}  // namespace oai::command
