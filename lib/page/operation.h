// SPDX-License-Identifier: MIT
// The pages for whoever runs the server, below its address: BASE_URL/-/health, /-/metrics, /-/status. The shipped web server
// configurations close them to the world. Their path must be exactly that of the base URL and the page's name: a longer
// way to the same page would lead around what the web server closes. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "condition.h"
#include "metrics.h"
#include "response.h"

namespace oai {

struct OperationPage {
    std::string_view name;  // "health"
    Response (*make)(const Condition&, const Metrics&);
};

// nullptr: the path is of none of them.
const OperationPage* find_operation_page(std::string_view path, std::string_view base_url);

// "/oai/-/NAME", for who asks the server itself.
std::string operation_path(std::string_view base_url, std::string_view name);

// application/json: {"live": true, "ready": ..., "database": {...}, "publisher": {...}, "formats": {...}}, each with "ok" and,
// where it is not, "why". 200 when all three are well, else 503. What is not well need not keep the server from answering:
// a publisher that lags leaves lists as they were, and a stylesheet that was refused leaves its version before.
Response health_page(const Condition&, const Metrics&);

// Prometheus text format 0.0.4.
Response metrics_page(const Condition&, const Metrics&);

// application/json: what `oai status` shows (command/status.cpp): health, pool, formats, and harvesters, the busiest first.
Response status_page(const Condition&, const Metrics&);

}  // namespace oai
