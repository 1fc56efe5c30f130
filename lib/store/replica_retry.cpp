// SPDX-License-Identifier: MIT
#include "store/replica_retry.h"

#include <algorithm>
#include <thread>

namespace oai {
namespace {

constexpr std::chrono::milliseconds kPause{50};
// Replicas are left alone for so long after one of them has let a request down.
constexpr std::chrono::seconds kPreferPrimary{30};

}  // namespace

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
