// SPDX-License-Identifier: MIT
// /-/status: for `oai status`, which shows it to people.
#include <nlohmann/json.hpp>

#include "datestamp.h"
#include "page/health.h"
#include "page/operation.h"

namespace oai {
namespace {

using nlohmann::json;

constexpr std::size_t kMostHarvesters = 50;

json told(const Harvester& h) {
    json out{{"address", h.address}, {"agent", h.agent}, {"requests", h.requests}, {"records", h.records}, {"errors", h.errors},
             {"seen", print_datestamp(h.seen)}};
    if (!h.last_error.empty()) out["last_error"] = {{"what", h.last_error}, {"when", print_datestamp(h.failed)}};
    if (h.verb.empty()) return out;
    out["list"] = {{"verb", h.verb}, {"prefix", h.prefix}, {"set", h.set}, {"from", h.from}, {"until", h.until},
                   {"began", h.began == Seconds{} ? "" : print_datestamp(h.began)}, {"delivered", h.delivered}, {"more", h.more}};
    if (h.size >= 0) out["list"]["size"] = h.size;
    return out;
}

json formats_of(const Condition& c) {
    json prefixes = json::array();
    if (c.registry != nullptr)
        for (const auto& format : c.registry->formats()) prefixes.push_back(format->prefix);
    return {{"serving", prefixes}, {"faults", c.formats.faults}};
}

}  // namespace

Response status_page(const Condition& c, const Metrics&) {
    const Health health = health_of(c);
    json page{{"now", print_datestamp(c.now)},
              {"started", print_datestamp(c.started)},
              {"ready", health.ready()},
              {"database", health.database},
              {"publisher", health.publisher},
              {"connections", {{"in_use", c.pool.in_use}, {"limit", c.connections}, {"waiting", c.pool.waiting}, {"refused", c.pool.refused}}},
              {"formats", formats_of(c)},
              {"harvesters", json::array()}};
    if (const auto lag = lag_seconds(c)) page["lag_seconds"] = *lag;
    if (c.database.queued >= 0) page["queued"] = c.database.queued;
    for (std::size_t i = 0; i < std::min(kMostHarvesters, c.harvesters.size()); ++i) page["harvesters"].push_back(told(c.harvesters[i]));
    Response response;
    response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
    response.body = page.dump(2, ' ', true, json::error_handler_t::replace) + "\n";
    return response;
}

}  // namespace oai
