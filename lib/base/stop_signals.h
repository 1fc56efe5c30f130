// SPDX-License-Identifier: MIT
// SIGTERM and SIGINT, for programs that end between two steps of their work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace oai {

// Thread-safe. A step that does not end within three seconds, because the database hangs, is
// abandoned: the process then dies of the signal.
class StopSignals {
  public:
    // Blocks the signals in this thread and in those that it starts from now on. left: reports the
    // consequences of an abandoned step. REQUIRES: there is no other thread yet.
    explicit StopSignals(std::function<void()> left);
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    bool requested() const;
    // Waits for the time to pass. Returns true at once if one of the signals has come.
    bool wait(std::chrono::milliseconds time);

  private:
    void watch();

    const std::function<void()> left_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool requested_ = false, ended_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace oai
