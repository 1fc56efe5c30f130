// SPDX-License-Identifier: MIT
#include "reach.h"

namespace oai {

Reach reach_of(const Horizon& horizon) { return {horizon.epoch, horizon.last_seq, horizon.h}; }

Reach farther(const Reach& a, const Reach& b) {
    if (b.epoch == 0) return a;
    return a.epoch != b.epoch || b.h >= a.h ? b : a;
}

bool reaches(const Horizon& horizon, const Reach& reach) {
    return horizon.epoch != reach.epoch || horizon.last_seq >= reach.seq || horizon.h + horizon.lag >= reach.h;
}

void require_reach(const Horizon& horizon, const Reach& reach) {
    if (!reaches(horizon, reach)) throw Behind("the database is behind what was answered before");
}

}  // namespace oai
