// SPDX-License-Identifier: MIT
// Consistency across replicas, one of which may be behind another: once a response with its
// responseDate has promised everything up to a position, no later response may end a list or miss a
// record before that position. A page from an older snapshot is allowed if it is not the last.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {

// The content of a snapshot: all numbers up to seq, published up to the second h.
struct ReplicaPosition {
    std::uint64_t epoch = 0;  // 0: unknown; every snapshot reaches it
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const ReplicaPosition&) const = default;
};

inline ReplicaPosition replica_position_of(const Horizon& horizon) {
    return {horizon.epoch, horizon.last_seq, horizon.h};
}

// The further of two positions; the second if their epochs differ.
inline ReplicaPosition furthest(const ReplicaPosition& a, const ReplicaPosition& b) {
    return b.epoch == 0 || (a.epoch == b.epoch && b.h < a.h) ? a : b;
}

// Whether a snapshot with this horizon contains everything up to `reach`. Either it has the number;
// or it has the second, allowing for the lag that responseDate subtracts: then the numbers that it
// lacks have datestamps that no response has promised yet, or were lost in a failover and are
// assigned again.
inline bool reaches(const Horizon& horizon, const ReplicaPosition& reach) {
    return horizon.epoch != reach.epoch || horizon.last_seq >= reach.seq ||
           horizon.h + horizon.lag >= reach.h;
}

// The replica has not replayed the required position yet.
class ReplicaLagging : public Unavailable {
    using Unavailable::Unavailable;
};

inline void require_position(const Horizon& horizon, const ReplicaPosition& reach) {
    if (!reaches(horizon, reach))
        throw ReplicaLagging("the database is behind what was answered before");
}

// Retries a request whose replica is behind: for as long as it would wait for a connection, then
// once more on the primary, if libpq finds one. Requests beyond the limit of `waiting` go to the
// primary at once, so that they do not occupy all workers. Adds the duration of failed attempts to
// `lost`, without the pauses between them. Thread-safe.
template <class Pool, class Limit, class Work>  // pg::Pool, ConcurrencyLimit
auto retry_behind_replica(Pool& pool, Limit& waiting, std::chrono::milliseconds max_wait,
                          std::chrono::nanoseconds& lost, Work&& work) {
    using Steady = std::chrono::steady_clock;
    constexpr Steady::duration kPause = std::chrono::milliseconds{50};
    // After a fallback, all requests use the primary for so long.
    constexpr std::chrono::seconds kPreferPrimary{30};
    typename Limit::Turn turn;
    std::optional<Steady::time_point> until;
    for (bool is_last = false;;) {
        const auto began = Steady::now();
        try {
            return work();
        } catch (const ReplicaLagging&) {
            if (is_last) throw;
        }
        const auto now = Steady::now();
        lost += now - began;
        if (!until) until = (turn = waiting.enter()) ? now + max_wait : now;
        is_last = now >= *until;
        if (is_last) {
            turn.reset();
            pool.prefer_primary(kPreferPrimary);
        } else {
            std::this_thread::sleep_for(std::min(kPause, *until - now));
        }
    }
}

}  // namespace oai
