// SPDX-License-Identifier: MIT
// How far an answer must go. Where there are replicas, one may be behind another: a list must not
// end, nor a record be missing, before what an earlier answer has promised by its responseDate. An
// answer may come from an older snapshot as long as it says nothing of what lies beyond.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

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

inline ReplicaPosition replica_position_of(const Horizon& horizon) {
    return {horizon.epoch, horizon.last_seq, horizon.h};
}

// The farther one; of different numberings the second.
inline ReplicaPosition furthest(const ReplicaPosition& a, const ReplicaPosition& b) {
    return b.epoch == 0 || (a.epoch == b.epoch && b.h < a.h) ? a : b;
}

// A snapshot with this horizon holds all that one of that reach did. By its number: nothing was
// published between them. By its second, with the lag that responseDate allows for: what it lacks
// has a datestamp that no answer has promised yet; or those numbers are lost, after a failover to a
// replica that had not got them, and given out anew.
inline bool reaches(const Horizon& horizon, const ReplicaPosition& reach) {
    return horizon.epoch != reach.epoch || horizon.last_seq >= reach.seq ||
           horizon.h + horizon.lag >= reach.h;
}

// The database behind this connection has not replayed so far yet.
class ReplicaLagging : public Unavailable {
    using Unavailable::Unavailable;
};

inline void require_position(const Horizon& horizon, const ReplicaPosition& reach) {
    if (!reaches(horizon, reach))
        throw ReplicaLagging("the database is behind what was answered before");
}

// What a request does when its database lags behind: it tries again for as long as it would wait
// for a connection, then once more with the primary, if libpq finds one. Requests that get no turn
// do not wait, so that workers are left for others. `lost` grows by how long attempts took that
// were of no use, without the pauses between them. Thread-safe.
template <class Pool, class Limit, class Work>  // pg::Pool, ConcurrencyLimit
auto retry_behind_replica(Pool& pool, Limit& waiting, std::chrono::milliseconds max_wait,
                          std::chrono::nanoseconds& lost, Work&& work) {
    using Steady = std::chrono::steady_clock;
    constexpr Steady::duration kPause = std::chrono::milliseconds{50};
    // Replicas are left alone for so long after one of them has let a request down.
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
