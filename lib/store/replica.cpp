// SPDX-License-Identifier: MIT
#include "store/replica.h"

#include <algorithm>
#include <thread>

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

ReplicaRetry::ReplicaRetry(pg::Pool& pool, std::chrono::milliseconds max_wait, int max_waiting)
    : pool_(pool), max_wait_(max_wait), max_waiting_(max_waiting) {}

ReplicaRetry::Waiting::Waiting(ReplicaRetry& retry) : retry_(retry) {
    const bool one_too_many = ++retry.waiting_ > retry.max_waiting_;
    until_ = Stopwatch::now() + (one_too_many ? std::chrono::milliseconds{0} : retry.max_wait_);
}

bool ReplicaRetry::Waiting::pause() const {
    const auto now = Stopwatch::now();
    if (now >= until_) return false;
    std::this_thread::sleep_for(std::min<Stopwatch::duration>(kPause, until_ - now));
    return true;
}

void ReplicaRetry::prefer_primary() { pool_.prefer_primary(kPreferPrimary); }

}  // namespace oai
