// SPDX-License-Identifier: MIT
// The pages /-/health and /-/status. The latter is what `oai status` shows in a readable form.
#include <nlohmann/json.hpp>

#include "monitor/admin_pages.h"
#include "protocol/datestamp.h"

namespace oai {
namespace {

using nlohmann::json;

json health_json(const std::string& trouble) {
    json out{{"ok", trouble.empty()}};
    if (!trouble.empty()) out["why"] = trouble;
    return out;
}

json harvester_json(const Harvester& h) {
    json out{{"address", h.address}, {"agent", h.agent},   {"requests", h.requests},
             {"records", h.records}, {"errors", h.errors}, {"seen", print_datestamp(h.seen)}};
    if (!h.last_error.empty())
        out["last_error"] = {{"what", h.last_error}, {"when", print_datestamp(h.failed)}};
    if (h.verb.empty()) return out;
    out["list"] = {{"verb", h.verb},
                   {"prefix", h.prefix},
                   {"set", h.set},
                   {"from", h.from},
                   {"until", h.until},
                   {"began", h.began == Seconds{} ? "" : print_datestamp(h.began)},
                   {"delivered", h.delivered},
                   {"more", h.more}};
    if (h.size >= 0) out["list"]["size"] = h.size;
    return out;
}

json formats_json(const ServerStatus& status) {
    json prefixes = json::array();
    if (status.registry != nullptr)
        for (const auto& format : status.registry->formats()) prefixes.push_back(format->prefix);
    return {{"serving", prefixes},
            {"faults", status.formats.faults},
            {"unannounced", status.formats.unannounced}};
}

Response json_response(int status, const json& page) {
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
            .body = page.dump(2, ' ', true, json::error_handler_t::replace) + "\n"};
}

}  // namespace

Response health_page(const ServerStatus& status, const Metrics&) {
    const Health health = health_of(status);
    json page{{"live", true},
              {"ready", health.ready()},
              {"degraded", health.degraded()},
              {"database", health_json(health.database)},
              {"publisher", health_json(health.publisher)},
              {"formats", health_json(health.formats)}};
    if (const auto lag = lag_seconds(status)) page["publisher"]["lag_seconds"] = *lag;
    if (!status.database.blocked_by.empty()) {
        page["publisher"]["blocked_by"] = status.database.blocked_by;
        page["publisher"]["blocked_seconds"] = status.database.blocked_seconds;
    }
    return json_response(health.ready() ? 200 : 503, page);
}

Response status_page(const ServerStatus& status, const Metrics&) {
    const Health health = health_of(status);
    json page{{"now", print_datestamp(status.now)},
              {"started", print_datestamp(status.started)},
              {"ready", health.ready()},
              {"degraded", health.degraded()},
              {"database", health.database},
              {"publisher", health.publisher},
              {"connections",
               {{"in_use", status.pool.in_use},
                {"limit", status.connections},
                {"waiting", status.pool.waiting},
                {"refused", status.pool.refused}}},
              {"formats", formats_json(status)},
              {"harvesters", json::array()}};
    if (const auto lag = lag_seconds(status)) page["lag_seconds"] = *lag;
    if (status.database.queued >= 0) page["queued"] = status.database.queued;
    if (!status.database.blocked_by.empty()) page["blocked_by"] = status.database.blocked_by;
    for (const Harvester& h : status.harvesters) page["harvesters"].push_back(harvester_json(h));
    return json_response(200, page);
}

}  // namespace oai
