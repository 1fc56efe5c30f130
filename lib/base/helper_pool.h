// SPDX-License-Identifier: MIT
// Threads that take over a part of a request's work while a CPU core is idle. A large page is then
// ready sooner, and a busy server works as if there were no helpers. Thread-safe.
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

class HelperPool {
  public:
    // With one core there are no helper threads.
    explicit HelperPool(unsigned cores = std::thread::hardware_concurrency());
    ~HelperPool();  // waits for running and queued tasks
    HelperPool(const HelperPool&) = delete;
    HelperPool& operator=(const HelperPool&) = delete;

    // Counts one core as busy with a request for as long as the object lives.
    class BusyCore {
      public:
        explicit BusyCore(HelperPool& pool) : pool_(pool) { pool_.add_busy(1); }
        ~BusyCore() { pool_.add_busy(-1); }
        BusyCore(const BusyCore&) = delete;
        BusyCore& operator=(const BusyCore&) = delete;

      private:
        HelperPool& pool_;
    };

    // Whether a core is idle right now; that may change before the next call.
    bool has_idle_core() const;

    // Starts `work` on another thread if a core is idle, else returns nullopt. The future holds
    // what `work` returns or throws. REQUIRES: the caller waits for the future before anything that
    // `work` refers to is destroyed; the future's destructor does not wait.
    template <class Work>
    std::optional<std::future<std::invoke_result_t<Work>>> try_start(Work work) {
        std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
        auto future = task.get_future();
        if (!enqueue(std::packaged_task<void()>([task = std::move(task)]() mutable { task(); })))
            return std::nullopt;
        return future;
    }

  private:
    void add_busy(int requests);
    bool enqueue(std::packaged_task<void()> task);
    void run(const std::stop_token& stop);

    const int cores_;
    mutable std::mutex mutex_;
    std::condition_variable_any has_task_;
    int busy_ = 0;  // requests, and tasks running or queued
    std::deque<std::packaged_task<void()>> tasks_;
    std::vector<std::jthread> threads_;  // last, since they use the other members
};

}  // namespace oai
