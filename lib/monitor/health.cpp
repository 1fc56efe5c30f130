// SPDX-License-Identifier: MIT
#include "monitor/health.h"

#include <fmt/format.h>

#include <chrono>

#include "protocol/datestamp.h"

namespace oai {
namespace {

using namespace std::chrono;

// The longest time since the last check of a healthy database. HorizonWatch checks once a second,
// but a check may take longer while it connects.
constexpr seconds kMaxSilence{15};

std::string database_trouble(const DatabaseStatus& database) {
    if (!database.trouble.empty()) return database.trouble;
    if (!database.checked) return "it has not been asked yet";
    const auto silent = steady_clock::now() - *database.checked;
    if (silent > kMaxSilence)
        return fmt::format("it has not answered for {} s", duration_cast<seconds>(silent).count());
    return "";
}

std::string publisher_trouble(const ServerStatus& status) {
    if (!status.database.unnumbered.empty()) return status.database.unnumbered;
    const auto lag = lag_seconds(status);
    if (!lag) return "no horizon has been seen";
    if (*lag > status.late_seconds)
        return fmt::format(
            "the repository is published up to {}, {} s ago: is oai publish running?",
            print_datestamp(status.database.horizon->h), *lag);
    if (*lag < 0) return fmt::format("the clock is behind what is published by {} s", -*lag);
    return "";
}

}  // namespace

std::optional<std::int64_t> lag_seconds(const ServerStatus& status) {
    if (!status.database.horizon) return std::nullopt;
    return (status.now - status.database.horizon->h).count();
}

Health health_of(const ServerStatus& status) {
    std::vector<std::string> formats = status.formats.faults;
    formats.insert(formats.end(), status.formats.unannounced.begin(),
                   status.formats.unannounced.end());
    return {.database = database_trouble(status.database),
            .publisher = publisher_trouble(status),
            .formats = fmt::format("{}", fmt::join(formats, "\n")),
            .is_numbered = status.database.unnumbered.empty() && status.database.horizon};
}

}  // namespace oai
