// SPDX-License-Identifier: MIT
// The state of the server at one moment, as the pages under /-/ (admin_pages.h) show it. Plain
// values, which the service (server/service.h) collects without waiting for the database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "format/format.h"
#include "format/watch.h"
#include "monitor/harvester_stats.h"
#include "store/horizon_watch.h"
#include "store/store.h"

namespace oai {

struct ServerStatus {
    Seconds now{};
    Seconds started{};
    int workers = 0;
    int connections = 0;    // the most that the pool may hold
    int late_seconds = 60;  // [publisher] late_seconds
    DatabaseStatus database{};
    ConnectionUse pool{};
    FormatStatus formats{};
    std::shared_ptr<const FormatRegistry> registry{};
    bool compiled = true;                 // [formats] compiled
    std::vector<Harvester> harvesters{};  // the busiest first
};

}  // namespace oai
