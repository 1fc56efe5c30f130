// SPDX-License-Identifier: MIT
#include "store/latest_horizon.h"

#include "protocol/error.h"

namespace oai {

void LatestHorizon::remember(const Horizon& horizon) {
    const std::lock_guard lock(mutex_);
    const bool same_epoch = horizon_ && horizon.epoch == horizon_->epoch;
    const auto earliest = horizon.earliest || !same_epoch ? horizon.earliest : horizon_->earliest;
    if (!same_epoch || horizon.h >= horizon_->h) horizon_ = horizon;
    horizon_->earliest = earliest;
}

Horizon LatestHorizon::get() const {
    const auto horizon = get_if_any();
    if (!horizon) throw Unavailable("the database has not been reached yet");
    return *horizon;
}

std::optional<Horizon> LatestHorizon::get_if_any() const {
    const std::lock_guard lock(mutex_);
    return horizon_;
}

ReplicaPosition LatestHorizon::position() const {
    const std::lock_guard lock(mutex_);
    return horizon_ ? replica_position_of(*horizon_) : ReplicaPosition{};
}

}  // namespace oai
