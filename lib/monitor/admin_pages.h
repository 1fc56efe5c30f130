// SPDX-License-Identifier: MIT
// The pages for the administrator of the server: BASE_URL/-/health, /-/metrics and /-/status. The
// shipped web server configurations deny the public access to them. A path must match exactly: if
// another spelling of the path led to the same page, it would bypass the web server's access rule.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "monitor/health.h"
#include "monitor/metrics.h"
#include "web/response.h"

namespace oai {

struct AdminPage {
    std::string_view name;  // "health"
    Response (*make)(const ServerStatus&, const Metrics&);
};

// Returns nullptr if the path is not that of an admin page. The page has static storage.
const AdminPage* find_admin_page(std::string_view path, std::string_view base_url);

// Whether nothing but such pages can be there: "BASE_URL/-/" and what is below it.
bool is_admin_path(std::string_view path, std::string_view base_url);

// The path of the page, "/oai/-/NAME", for a client that connects to the server's own socket.
std::string admin_page_path(std::string_view base_url, std::string_view name);

// application/json: {"live": true, "ready": ..., "degraded": ..., "database": {...}, "publisher":
// {...}, "formats": {...}}, each with "ok" and, if that is false, "why". Status 200 if the server
// is ready (health.h), else 503.
Response health_page(const ServerStatus&, const Metrics&);

// The metrics in Prometheus text format 0.0.4.
Response metrics_page(const ServerStatus&, const Metrics&);

// application/json: what `oai status` (command/status.cpp) shows, namely health, connection pool,
// formats, and harvesters, the busiest first.
Response status_page(const ServerStatus&, const Metrics&);

}  // namespace oai
