// SPDX-License-Identifier: MIT
// The state of the server at one moment, as the pages under /-/ (admin_pages.h) show it, and the
// one judgement whether the database, the publisher and the formats are healthy. Pure; thread-safe.
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

// Plain values, which the service (server/service.h) collects without waiting for the database.
struct ServerStatus {
    Seconds now{};
    Seconds started{};
    int workers = 0;
    int connections = 0;    // the most that the pool may hold
    int late_seconds = 60;  // [publisher] late_seconds
    DatabaseStatus database{};
    ConnectionUse pool{};
    PrefetchedPages prefetched{};
    FormatStatus formats{};
    std::shared_ptr<const FormatRegistry> registry{};
    bool compiled = true;                 // [formats] compiled
    std::vector<Harvester> harvesters{};  // the busiest first
};

// For each part "" if it is healthy, else one or more sentences for the administrator. A server is
// ready if it can answer lists, and degraded if it does so though something is wrong: what is
// published stays as it was if the publisher lags, and the version before of a stylesheet stays in
// use. So one bad file does not have a load balancer take it out.
struct Health {
    std::string database;   // unhealthy if its last check failed or was too long ago
    std::string publisher;  // unhealthy if the horizon lags too far, or there is none
    // Unhealthy if a stylesheet in the directory cannot be used, or has changed unannounced.
    std::string formats;
    bool is_numbered = true;  // false: the first numbering has not ended, or no horizon was seen
    bool ready() const { return database.empty() && is_numbered; }
    bool degraded() const { return ready() && !(publisher.empty() && formats.empty()); }
};

Health health_of(const ServerStatus& status);

// By how many seconds the published horizon lies behind the clock. One second is normal; a negative
// number means that the clock is behind. nullopt: no horizon has been read yet.
std::optional<std::int64_t> lag_seconds(const ServerStatus& status);

}  // namespace oai
