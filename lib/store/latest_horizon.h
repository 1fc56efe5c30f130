// SPDX-License-Identifier: MIT
// The last horizon that anybody has read, so that an answer which needs no database has an honest
// responseDate without waiting for one. Thread-safe.
#pragma once

#include <mutex>
#include <optional>

#include "protocol/record.h"
#include "store/replica_position.h"

namespace oai {

// It only moves forward, since a request may report an older snapshot later than another request a
// newer one; but a new epoch, that of a rebuilt repository, begins anew. The earliest datestamp of
// an epoch stays known.
class LatestHorizon {
  public:
    void remember(const Horizon& horizon);
    Horizon get() const;               // throws Unavailable if none was ever read
    ReplicaPosition position() const;  // of that horizon; epoch 0 if none was ever read
    std::optional<Horizon> get_if_any() const;

  private:
    mutable std::mutex mutex_;
    std::optional<Horizon> horizon_;
};

}  // namespace oai
