// SPDX-License-Identifier: MIT
// Judges whether the database, the publisher and the formats are healthy, and if not, says why. All
// pages that show health use this one judgement. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "monitor/server_status.h"

namespace oai {

// For each part "" if it is healthy, else one or more sentences for the administrator.
struct Health {
    std::string database;   // unhealthy if its last check failed or was too long ago
    std::string publisher;  // unhealthy if the horizon lags too far, or there is none
    std::string formats;    // unhealthy if a stylesheet in the directory cannot be used
    bool ready() const { return database.empty() && publisher.empty() && formats.empty(); }
};

Health health_of(const ServerStatus& status);

// By how many seconds the published horizon lies behind the clock. One second is normal; a negative
// number means that the clock is behind. nullopt: no horizon has been read yet.
std::optional<std::int64_t> lag_seconds(const ServerStatus& status);

}  // namespace oai
