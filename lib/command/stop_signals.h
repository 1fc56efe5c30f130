// SPDX-License-Identifier: MIT
// SIGTERM and SIGINT, blocked in all threads and asked for where work can end. Made before any thread is started; asked()
// is thread-safe.
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
    bool asked() {
        const timespec now{};
        if (!asked_ && sigtimedwait(&set_, nullptr, &now) > 0) asked_ = true;
        return asked_;
    }

  private:
    sigset_t set_{};
    std::atomic<bool> asked_{false};
};

}  // namespace oai::command
