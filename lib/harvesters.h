// SPDX-License-Identifier: MIT
// Who harvests what, how far and with which errors. A harvester is an address and a User-Agent; of each the last list is
// known. Bounded memory: a newcomer takes the place of the one that asks least. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "story.h"

namespace oai {

struct Harvester {
    std::string address, agent;
    std::int64_t requests = 0, records = 0;
    std::int64_t errors = 0;   // answers that were not what was asked for; noRecordsMatch is what was asked for
    std::string last_error{};  // outcome_of(); "" none
    Seconds failed{};          // when that was
    Seconds seen{};            // the last request
    // What was last asked for with success, and how far that has come; verb "" nothing yet.
    std::string verb{}, prefix{}, set{}, from{}, until{};
    Seconds began{};              // the list's first page, as far as it was seen here
    std::int64_t delivered = 0;   // records of the list so far
    std::int64_t size = -1;       // completeListSize; -1: not known
    bool more = false;            // the list has not come to its end
    double weight = 0;            // requests, of which a half is forgotten every ten minutes; at `seen`
};

class Harvesters {
  public:
    explicit Harvesters(std::size_t most = 500) : most_(most) {}

    // A request that has been answered with this status; what is under /-/ does not count.
    void note(const Story& story, int status, Seconds now);

    // At most n, the busiest first.
    std::vector<Harvester> busiest(std::size_t n, Seconds now) const;

  private:
    using Key = std::pair<std::string, std::string>;  // address, agent
    Harvester& known(const Client& client, Seconds now);

    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<Key, Harvester> harvesters_;
};

}  // namespace oai
