// SPDX-License-Identifier: MIT
// The pages for the administrator of the server: BASE_URL/-/health, /-/metrics and /-/status, to
// which web servers deny the public access by their exact paths. Thread-safe.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "format/format.h"
#include "monitor/request_log.h"
#include "store/horizon_watch.h"
#include "store/store.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

// The counters and histograms that the server keeps from its start, by prometheus-cpp. Every name
// begins with oai_. No client can choose the value of a label, so memory is bounded.
class Metrics {
  public:
    Metrics();
    ~Metrics();

    // Counts a request that has been answered. `prefix`: the metadataPrefix of its format, "" if it
    // asked for none that is served.
    void count(const RequestLog& log, const Response& response, std::string_view prefix);

    // Creates the counters of the format with the value 0, unless they exist. A series must start
    // at 0, or else Prometheus does not see its first increase.
    void register_format(const std::string& prefix);

    std::vector<prometheus::MetricFamily> collect() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// The state of the server at one moment, collected without waiting for the database.
struct ServerStatus {
    Seconds now{};
    Seconds started{};
    int connections = 0;    // the most that the pool may hold
    int late_seconds = 60;  // [publisher] late_seconds
    DatabaseStatus database{};
    ConnectionUse pool{};
    std::vector<std::string> format_faults{};  // of FormatWatch
    std::shared_ptr<const FormatRegistry> registry{};
    bool compiled = true;                 // [formats] compiled
    std::vector<Harvester> harvesters{};  // the busiest first
};

// For each part "" if it is healthy, else one or more sentences for the administrator. A server is
// ready if it can answer lists, and degraded if it does so though something is wrong.
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

// nullptr: the path does not begin with "BASE_URL/-/". The page has static storage.
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

// The NAME.xsd in the path; nullopt if the path is not below /-/schema/, "" if it leads out of it.
std::optional<std::string_view> schema_file_name(std::string_view path);

// The file `name` of the folder as it is now; 304 if the client has that version; 404 if there is
// no such file or `name` is ""; 405 for POST.
Response schema_file_response(const std::string& folder, std::string_view name,
                              const Request& request);

}  // namespace oai
