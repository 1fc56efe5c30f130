// SPDX-License-Identifier: MIT
// What a request does when its database lags behind (replica_position.h): it tries again for as
// long as it would wait for a connection, then once more with the primary, if libpq finds one.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "pg/pool.h"
#include "store/replica_position.h"

namespace oai {

class ReplicaRetry {
  public:
    // max_waiting: requests beyond that do not wait, so that workers are left for others.
    ReplicaRetry(pg::Pool& pool, std::chrono::milliseconds max_wait, int max_waiting);

    // `wasted`: how long the attempts before this result took.
    template <typename Result>
    struct Retried {
        Result result;
        std::chrono::nanoseconds wasted{0};
    };
    // The first result of attempt() that does not throw ReplicaLagging; throws what attempt()
    // throws, ReplicaLagging if the last attempt did.
    template <typename Attempt>
    auto operator()(Attempt&& attempt) -> Retried<decltype(attempt())> {
        std::chrono::nanoseconds wasted{0};
        std::optional<Waiting> waiting;
        for (bool is_last = false;;) {
            const auto began = Stopwatch::now();
            try {
                return {attempt(), wasted};
            } catch (const ReplicaLagging&) {
                if (is_last) throw;
                wasted += Stopwatch::now() - began;
            }
            if (!waiting) waiting.emplace(*this);
            if (waiting->pause()) continue;
            waiting.reset();
            prefer_primary();
            is_last = true;
        }
    }

  private:
    using Stopwatch = std::chrono::steady_clock;

    // Counts a waiting request while it lives.
    class Waiting {
      public:
        explicit Waiting(ReplicaRetry& retry);
        ~Waiting() { --retry_.waiting_; }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        // Sleeps until it is time to try again. Returns false, at once, when the request has waited
        // long enough.
        bool pause() const;

      private:
        ReplicaRetry& retry_;
        Stopwatch::time_point until_;
    };

    void prefer_primary();

    pg::Pool& pool_;
    const std::chrono::milliseconds max_wait_;
    const int max_waiting_;
    std::atomic<int> waiting_{0};
};

}  // namespace oai
