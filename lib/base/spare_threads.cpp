// SPDX-License-Identifier: MIT
#include "base/spare_threads.h"

namespace oai {

SpareThreads::SpareThreads(unsigned cores) : cores_(static_cast<int>(cores)) {
    for (unsigned i = 1; i < cores; ++i)
        threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

SpareThreads::~SpareThreads() = default;

bool SpareThreads::idle() const {
    const std::lock_guard lock(mutex_);
    return busy_ < cores_;
}

void SpareThreads::count(int requests) {
    const std::lock_guard lock(mutex_);
    busy_ += requests;
}

bool SpareThreads::enqueue(std::packaged_task<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (threads_.empty() || busy_ >= cores_) return false;
        tasks_.push_back(std::move(task));
        ++busy_;
    }
    started_.notify_one();
    return true;
}

// A task that was promised is done, even when the end has been asked for: somebody waits for it.
void SpareThreads::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (started_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
        std::packaged_task<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        lock.lock();
        --busy_;
    }
}

}  // namespace oai
