// SPDX-License-Identifier: MIT
#include "store/replica.h"

#include <algorithm>
#include <thread>

#include "pg/pool.h"

namespace oai {
namespace {

constexpr std::chrono::milliseconds kPause{50};
// Replicas are left alone for so long after one of them has let a request down.
constexpr std::chrono::seconds kPreferPrimary{30};

}  // namespace

ReplicaPosition replica_position_of(const Horizon& horizon) {
    return {horizon.epoch, horizon.last_seq, horizon.h};
}

ReplicaPosition furthest(const ReplicaPosition& a, const ReplicaPosition& b) {
    if (b.epoch == 0) return a;
    return a.epoch != b.epoch || b.h >= a.h ? b : a;
}

bool reaches(const Horizon& horizon, const ReplicaPosition& reach) {
    return horizon.epoch != reach.epoch || horizon.last_seq >= reach.seq ||
           horizon.h + horizon.lag >= reach.h;
}

void require_position(const Horizon& horizon, const ReplicaPosition& reach) {
    if (!reaches(horizon, reach))
        throw ReplicaLagging("the database is behind what was answered before");
}

bool ReplicaRetry::Attempts::again() {
    if (is_last_) return false;
    const auto now = Stopwatch::now();
    retry_time_ += now - began_;
    if (!until_) until_ = ++retry_.waiting_ > retry_.max_waiting_ ? now : now + retry_.max_wait_;
    is_last_ = now >= *until_;
    if (is_last_) {
        leave();
        retry_.pool_.prefer_primary(kPreferPrimary);
    } else {
        std::this_thread::sleep_for(std::min<Stopwatch::duration>(kPause, *until_ - now));
    }
    began_ = Stopwatch::now();
    return true;
}

void ReplicaRetry::Attempts::leave() {
    if (until_) --retry_.waiting_;
    until_.reset();
}

}  // namespace oai
