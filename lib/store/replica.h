// SPDX-License-Identifier: MIT
// How far an answer must go. Answers come from several databases where there are replicas, and one
// of them may be behind another: a list must not end, nor a record be missing, before what an
// earlier answer has promised by its responseDate. Older is safe there, too: an answer may come
// from an older snapshot as long as it says nothing of what lies beyond. Plain values.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {

namespace pg {
class Pool;
}

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

// What a request does when its database lags behind: it tries again for as long as it would wait
// for a connection, then once more with the primary, if libpq finds one. Thread-safe.
class ReplicaRetry {
    using Stopwatch = std::chrono::steady_clock;

  public:
    // max_waiting: requests beyond that do not wait, so that workers are left for others.
    ReplicaRetry(pg::Pool& pool, std::chrono::milliseconds max_wait, int max_waiting)
        : pool_(pool), max_wait_(max_wait), max_waiting_(max_waiting) {}

    // The attempts of one request, the first of which begins at once.
    class Attempts {
      public:
        explicit Attempts(ReplicaRetry& retry) : retry_(retry) {}
        ~Attempts() { leave(); }
        Attempts(const Attempts&) = delete;
        Attempts& operator=(const Attempts&) = delete;
        // Called when an attempt threw ReplicaLagging. Returns true when it is time for the next
        // one, false at once if that was the last.
        bool again();
        // How long the attempts before this one took, without the pauses.
        std::chrono::nanoseconds retry_time() const { return retry_time_; }

      private:
        void leave();

        ReplicaRetry& retry_;
        Stopwatch::time_point began_ = Stopwatch::now();
        std::chrono::nanoseconds retry_time_{0};
        std::optional<Stopwatch::time_point> until_{};  // it counts as waiting while this is set
        bool is_last_ = false;
    };

  private:
    pg::Pool& pool_;
    const std::chrono::milliseconds max_wait_;
    const int max_waiting_;
    std::atomic<int> waiting_{0};
};

}  // namespace oai
