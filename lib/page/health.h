// SPDX-License-Identifier: MIT
// Whether all is well, and if not, why: judged here once for every page that says so.
#pragma once

#include <optional>
#include <string>

#include "condition.h"

namespace oai {

// "" where all is well, else one sentence or more for the administrator.
struct Health {
    std::string database;   // it does not answer, or has not for a while
    std::string publisher;  // what is published lags behind the clock, or nothing is yet
    std::string formats;    // a stylesheet is not as the directory says it should be
    bool ready() const { return database.empty() && publisher.empty() && formats.empty(); }
};

Health health_of(const Condition& condition);

// Seconds from what is published to the clock, one of which is due; nullopt: nothing is published, as far as is known.
std::optional<std::int64_t> lag_seconds(const Condition& condition);

}  // namespace oai
