// SPDX-License-Identifier: MIT
// The pages for the administrator of the server: BASE_URL/-/health, /-/metrics and /-/status. The
// shipped web server configurations deny the public access to them. A path must match exactly: if
// another spelling of the path led to the same page, it would bypass the web server's access rule.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "format/format.h"
#include "format/watch.h"
#include "monitor/metrics.h"
#include "monitor/request_log.h"
#include "store/horizon_watch.h"
#include "store/store.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

// The state of the server at one moment, which the service collects without waiting for the
// database.
struct ServerStatus {
    Seconds now{};
    Seconds started{};
    int connections = 0;    // the most that the pool may hold
    int late_seconds = 60;  // [publisher] late_seconds
    DatabaseStatus database{};
    ConnectionUse pool{};
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
    std::string database;     // unhealthy if its last check failed or was too long ago
    std::string publisher;    // unhealthy if the horizon lags too far, or there is none
    std::string formats;      // unhealthy if a stylesheet in the directory cannot be used
    std::string sets{};       // unhealthy if a rule for a set cannot be used, or fails on items
    std::string sources{};    // unhealthy if one cannot be read, or most of one is gone at once
    bool is_numbered = true;  // false: the first numbering has not ended, or no horizon was seen
    std::map<std::string, std::string> parts() const {
        return {{"database", database},
                {"publisher", publisher},
                {"formats", formats},
                {"sets", sets},
                {"sources", sources}};
    }
    bool ready() const { return database.empty() && is_numbered; }
    bool degraded() const { return ready() && !(publisher + formats + sets + sources).empty(); }
};

Health health_of(const ServerStatus& status);

// By how many seconds the published horizon lies behind the clock. One second is normal; a negative
// number means that the clock is behind. nullopt: no horizon has been read yet.
std::optional<std::int64_t> lag_seconds(const ServerStatus& status);

struct AdminPage {
    std::string_view name;  // "health"; "none": there is no such page
    Response (*make)(const ServerStatus&, const Metrics&);  // nullptr of "none"
};

// Returns nullptr if something else than such pages can be at the path, which does not begin with
// "BASE_URL/-/". The page has static storage.
const AdminPage* find_admin_page(std::string_view path, std::string_view base_url);

// application/json: {"live": true, "ready": ..., "degraded": ..., "database": {...}, "publisher":
// {...}, "formats": {...}, "sets": {...}, "sources": {...}}, each with "ok" and, if that is false,
// "why". Status 200 if the server is ready (ServerStatus), else 503.
Response health_page(const ServerStatus&, const Metrics&);

// The metrics in Prometheus text format 0.0.4.
Response metrics_page(const ServerStatus&, const Metrics&);

// application/json: what `oai status` (command/status.cpp) shows, namely health, connection pool,
// formats, and harvesters, the busiest first.
Response status_page(const ServerStatus&, const Metrics&);

// XML Schemas that a site keeps beside its stylesheets, at the address that its schemaLocations
// name: GET .../-/schema/NAME.xsd. Without them validators reject its records.

// The NAME.xsd in the path; nullopt if the path is not below /-/schema/. A name has letters,
// digits, '.', '_' and '-', does not begin with '.', ends in .xsd and contains nothing encoded, so
// that it cannot lead out of the folder; "" for anything else.
std::optional<std::string_view> schema_file_name(std::string_view path);

// The file `name` of the folder as it is now: 200, application/xml, with an ETag made from its
// content; 304 if the client has that version; 404 if there is no such file or `name` is "". 405
// for POST.
Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request);

}  // namespace oai
