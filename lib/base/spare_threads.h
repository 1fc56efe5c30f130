// SPDX-License-Identifier: MIT
// Threads that take over a part of a request's work as long as a core is idle: one large page is then ready sooner, and
// a busy server works as if they were not there. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace oai {

class SpareThreads {
  public:
    // With one core there are none.
    explicit SpareThreads(unsigned cores = std::thread::hardware_concurrency());
    ~SpareThreads();  // waits for what is under way
    SpareThreads(const SpareThreads&) = delete;
    SpareThreads& operator=(const SpareThreads&) = delete;

    // While it lives, a core is busy with a request.
    class Request {
      public:
        explicit Request(SpareThreads& spare) : spare_(spare) { spare_.count(1); }
        ~Request() { spare_.count(-1); }
        Request(const Request&) = delete;
        Request& operator=(const Request&) = delete;

      private:
        SpareThreads& spare_;
    };

    // A core is idle; another moment it may not be.
    bool idle() const;

    // Starts `work` on another thread if a core is idle; nullopt: none is. The future gives what it returns or throws.
    // REQUIRES: what `work` refers to outlives the wait for the future, which its destructor does not do.
    template <class Work>
    std::optional<std::future<std::invoke_result_t<Work>>> try_start(Work work) {
        std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
        auto future = task.get_future();
        if (!enqueue(std::packaged_task<void()>([task = std::move(task)]() mutable { task(); }))) return std::nullopt;
        return future;
    }

  private:
    void count(int requests);
    bool enqueue(std::packaged_task<void()> task);
    void run(const std::stop_token& stop);

    const int cores_;
    mutable std::mutex mutex_;
    std::condition_variable_any started_;
    int busy_ = 0;  // requests, and tasks begun or waiting
    std::deque<std::packaged_task<void()>> tasks_;
    std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace oai
