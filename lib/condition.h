// SPDX-License-Identifier: MIT
// How the server is at one moment: what the pages under /-/ tell of (page/). Values; gathered by the service without
// waiting for the database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "format.h"
#include "format_watch.h"
#include "harvesters.h"
#include "horizon_watch.h"
#include "pg/pool.h"

namespace oai {

struct Condition {
    Seconds now{};
    Seconds started{};
    int workers = 0;
    int connections = 0;    // that the pool may hold
    int late_seconds = 60;  // [publisher] late_seconds
    Sight database{};
    pg::Pool::Use pool{};
    FormatStatus formats{};
    std::shared_ptr<const FormatRegistry> registry{};
    bool compiled = true;  // [formats] compiled
    std::vector<Harvester> harvesters{};  // the busiest first
};

}  // namespace oai
