// SPDX-License-Identifier: MIT
#include "store/replica.h"

namespace oai {

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

}  // namespace oai
