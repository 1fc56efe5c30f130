// SPDX-License-Identifier: MIT
#include "base/helper_pool.h"

namespace oai {

HelperPool::HelperPool(unsigned cores) : cores_(static_cast<int>(cores)) {
    for (unsigned i = 1; i < cores; ++i)
        threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

HelperPool::~HelperPool() = default;

bool HelperPool::has_idle_core() const {
    const std::lock_guard lock(mutex_);
    return busy_ < cores_;
}

void HelperPool::add_busy(int requests) {
    const std::lock_guard lock(mutex_);
    busy_ += requests;
}

bool HelperPool::enqueue(std::packaged_task<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (threads_.empty() || busy_ >= cores_) return false;
        tasks_.push_back(std::move(task));
        ++busy_;
    }
    has_task_.notify_one();
    return true;
}

// Runs all queued tasks even after a stop request, since somebody waits for their results.
void HelperPool::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (has_task_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
        std::packaged_task<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
        --busy_;
    }
}

}  // namespace oai
