// SPDX-License-Identifier: MIT
// How far an answer must go. Answers come from several databases where there are replicas, and one
// of them may be behind another: a list must not end, nor a record be missing, before what an
// earlier answer has promised by its responseDate. Older is safe there, too: an answer may come
// from an older snapshot as long as it says nothing of what lies beyond. Plain values.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "pg/pool.h"
#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {

// What some snapshot had: numbers up to seq, which were all that was published up to the second h.
struct ReplicaPosition {
    std::uint64_t epoch = 0;  // 0: nothing is known, and everything reaches it
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const ReplicaPosition&) const = default;
};

ReplicaPosition replica_position_of(const Horizon& horizon);

// The farther one; of different numberings the second.
ReplicaPosition furthest(const ReplicaPosition& a, const ReplicaPosition& b);

// A snapshot with this horizon holds all that one of that reach did. By its number: nothing was
// published between them. By its second, with the lag that responseDate allows for: what it lacks
// has a datestamp that no answer has promised yet; or those numbers are lost, after a failover to a
// replica that had not got them, and given out anew.
bool reaches(const Horizon& horizon, const ReplicaPosition& reach);

// The database behind this connection has not replayed so far yet; soon it will have, or another
// has.
class ReplicaLagging : public Unavailable {
    using Unavailable::Unavailable;
};

void require_position(const Horizon& horizon,
                      const ReplicaPosition& reach);  // throws ReplicaLagging

// What a request does when its database lags behind (replica_position.h): it tries again for as
// long as it would wait for a connection, then once more with the primary, if libpq finds one.
// Thread-safe.

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
