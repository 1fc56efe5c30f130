// SPDX-License-Identifier: MIT
// The counters and histograms that the server keeps from its start, by prometheus-cpp: requests,
// pages, bytes, bad records. metrics.cpp adds the values of the moment (admin_pages.h).
// Every name begins with oai_. No client can choose the value of a label, so memory is bounded.
// Thread-safe.
#pragma once

#include <prometheus/metric_family.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/request_log.h"
#include "web/response.h"

namespace oai {

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

}  // namespace oai
