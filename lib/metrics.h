// SPDX-License-Identifier: MIT
// What the server counts over its life, by prometheus-cpp: requests, pages, bytes, bad records. What it is at the moment of
// asking (condition.h) is added by page/metrics.h. Every name begins with oai_, and no client chooses a label's value, so
// memory is bounded. Thread-safe.
#pragma once

#include <prometheus/metric_family.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "response.h"
#include "story.h"

namespace oai {

class Metrics {
  public:
    Metrics();
    ~Metrics();

    // A request that has been answered. `prefix`: of the format that serves it, "" if there is none.
    void count(const Story& story, const Response& response, std::string_view prefix);

    // Counters of the format begin at 0 now: Prometheus sees no increase in a series that begins with what it counts.
    void know_format(const std::string& prefix);

    std::vector<prometheus::MetricFamily> collect() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
