// SPDX-License-Identifier: MIT
#include "monitor/health.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "monitor/admin_pages.h"
#include "protocol/datestamp.h"

namespace oai {
namespace {

using nlohmann::json;

// The longest time since the last check of a healthy database. HorizonWatch checks once a second,
// but a check may take longer while it connects.
constexpr std::chrono::seconds kMaxSilence{15};

std::string database_trouble(const DatabaseStatus& database_status) {
    if (!database_status.trouble.empty()) return database_status.trouble;
    if (!database_status.checked) return "it has not been asked yet";
    if (const auto silent = std::chrono::steady_clock::now() - *database_status.checked;
        silent > kMaxSilence)
        return "it has not answered for " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silent).count()) +
               " s";
    return "";
}

std::string publisher_trouble(const ServerStatus& status) {
    if (!status.database.unnumbered.empty()) return status.database.unnumbered;
    const auto lag = lag_seconds(status);
    if (!lag) return "no horizon has been seen";
    if (*lag > status.late_seconds)
        return "the repository is published up to " + print_datestamp(status.database.horizon->h) +
               ", " + std::to_string(*lag) + " s ago: is oai publish running?";
    if (*lag < 0) return "the clock is behind what is published by " + std::to_string(-*lag) + " s";
    return "";
}

std::string format_trouble(const FormatStatus& formats) {
    std::string all;
    for (const std::string& fault : formats.faults) all += (all.empty() ? "" : "\n") + fault;
    return all;
}

json health_json(const std::string& trouble) {
    json out{{"ok", trouble.empty()}};
    if (!trouble.empty()) out["why"] = trouble;
    return out;
}

}  // namespace

std::optional<std::int64_t> lag_seconds(const ServerStatus& status) {
    if (!status.database.horizon) return std::nullopt;
    return (status.now - status.database.horizon->h).count();
}

Health health_of(const ServerStatus& status) {
    return {.database = database_trouble(status.database),
            .publisher = publisher_trouble(status),
            .formats = format_trouble(status.formats)};
}

Response health_page(const ServerStatus& status, const Metrics&) {
    const Health health = health_of(status);
    json page{{"live", true},
              {"ready", health.ready()},
              {"database", health_json(health.database)},
              {"publisher", health_json(health.publisher)},
              {"formats", health_json(health.formats)}};
    if (const auto lag = lag_seconds(status)) page["publisher"]["lag_seconds"] = *lag;
    Response response;
    response.status = health.ready() ? 200 : 503;
    response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    response.body = page.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
    return response;
}

}  // namespace oai
