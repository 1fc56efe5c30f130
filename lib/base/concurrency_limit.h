// SPDX-License-Identifier: MIT
// Lets a bounded number of threads do something at the same time. A bounded number of others wait
// for their turn, for a bounded time, and all others are refused at once. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>

namespace oai {

class ConcurrencyLimit {
  public:
    ConcurrencyLimit(int slots, int waiters, std::chrono::milliseconds max_wait)
        : slots_(slots), max_waiters_(waiters), max_wait_(max_wait) {}

    struct Leave {
        void operator()(ConcurrencyLimit* limit) const { limit->slots_.release(); }
    };
    // A turn, given back when it is destroyed. The limit must outlive it.
    using Turn = std::unique_ptr<ConcurrencyLimit, Leave>;

    // Returns null if the caller is refused.
    Turn enter() {
        if (slots_.try_acquire()) return Turn(this);
        const bool may_wait = waiters_.fetch_add(1) < max_waiters_;
        const bool has_turn = may_wait && slots_.try_acquire_for(max_wait_);
        waiters_.fetch_sub(1);
        return Turn(has_turn ? this : nullptr);
    }

    int waiting() const { return waiters_; }

  private:
    std::counting_semaphore<> slots_;
    std::atomic<int> waiters_ = 0;
    const int max_waiters_;
    const std::chrono::milliseconds max_wait_;
};

}  // namespace oai
