// SPDX-License-Identifier: MIT
#include "page/health.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "datestamp.h"
#include "page/operation.h"

namespace oai {
namespace {

using nlohmann::json;

// The watch asks once a second; a question may wait for a connection to be made.
constexpr std::chrono::seconds kSilence{15};

std::string database_trouble(const Sight& sight) {
    if (!sight.trouble.empty()) return sight.trouble;
    if (!sight.asked) return "it has not been asked yet";
    if (const auto silent = std::chrono::steady_clock::now() - *sight.asked; silent > kSilence)
        return "it has not answered for " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silent).count()) + " s";
    return "";
}

std::string publisher_trouble(const Condition& condition) {
    if (!condition.database.unnumbered.empty()) return condition.database.unnumbered;
    const auto lag = lag_seconds(condition);
    if (!lag) return "no horizon has been seen";
    if (*lag > condition.late_seconds)
        return "the repository is published up to " + print_datestamp(condition.database.horizon->h) + ", " +
               std::to_string(*lag) + " s ago: is oai publish running?";
    if (*lag < 0) return "the clock is behind what is published by " + std::to_string(-*lag) + " s";
    return "";
}

std::string format_trouble(const FormatStatus& formats) {
    std::string all;
    for (const std::string& fault : formats.faults) all += (all.empty() ? "" : "\n") + fault;
    return all;
}

json told(const std::string& trouble) {
    json out{{"ok", trouble.empty()}};
    if (!trouble.empty()) out["why"] = trouble;
    return out;
}

}  // namespace

std::optional<std::int64_t> lag_seconds(const Condition& condition) {
    if (!condition.database.horizon) return std::nullopt;
    return (condition.now - condition.database.horizon->h).count();
}

Health health_of(const Condition& condition) {
    return {.database = database_trouble(condition.database),
            .publisher = publisher_trouble(condition),
            .formats = format_trouble(condition.formats)};
}

Response health_page(const Condition& condition, const Metrics&) {
    const Health health = health_of(condition);
    json page{{"live", true},
              {"ready", health.ready()},
              {"database", told(health.database)},
              {"publisher", told(health.publisher)},
              {"formats", told(health.formats)}};
    if (const auto lag = lag_seconds(condition)) page["publisher"]["lag_seconds"] = *lag;
    Response response;
    response.status = health.ready() ? 200 : 503;
    response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    response.body = page.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
    return response;
}

}  // namespace oai
