// SPDX-License-Identifier: MIT
// Statistics of the harvesters: what each one harvests, how far it has come and which errors it
// got. A harvester is identified by its address and User-Agent; only its latest list is remembered.
// Memory is bounded: when the limit is reached, a new harvester replaces the least active one.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "monitor/request_log.h"

namespace oai {

struct Harvester {
    std::string address, agent;
    std::int64_t requests = 0, records = 0;
    // Requests that failed, on either level (HTTP or OAI-PMH). noRecordsMatch does not count: it is
    // the regular answer to an incremental harvest when nothing is new.
    std::int64_t errors = 0;
    std::string last_error{};  // as outcome_of() names it; "": there was none
    Seconds failed{};          // time of last_error
    Seconds seen{};            // time of the last request
    // The last successful request, and the progress of its list. verb "": none has succeeded yet.
    std::string verb{}, prefix{}, set{}, from{}, until{};
    Seconds began{};  // when the first page of a list was last answered; 0: not seen here
    std::int64_t delivered = 0;  // records of the list up to and including the last page
    std::int64_t size = -1;      // completeListSize; -1: unknown
    bool more = false;           // the list goes on after the last page
    double weight = 0;  // number of requests, decaying with a half-life of ten minutes, at `seen`
};

class HarvesterStats {
  public:
    explicit HarvesterStats(std::size_t max_harvesters = 500) : max_harvesters_(max_harvesters) {}

    // Counts a request that was answered with this HTTP status. Ignores requests for pages, which
    // are not OAI-PMH (RequestLog::page).
    void note(const RequestLog& log, int status, Seconds now);

    // Returns at most n harvesters, the busiest (by weight at `now`) first.
    std::vector<Harvester> busiest(std::size_t n, Seconds now) const;

  private:
    using Key = std::pair<std::string, std::string>;  // address, agent
    Harvester& find_or_add(const ClientAddress& client, Seconds now);

    const std::size_t max_harvesters_;
    mutable std::mutex mutex_;
    std::map<Key, Harvester> harvesters_;
};

}  // namespace oai
