// SPDX-License-Identifier: MIT
// Limits the requests of each client by a token bucket: a number of requests at once, and a number
// per minute in the long run. Uses bounded memory. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/config.h"
#include "web/client_address.h"

namespace oai {

class RateLimit {
  public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RateLimit(const Config::Clients& options);

    // Takes a token from the client's bucket. Returns nullopt if there was one or the client is not
    // limited, else the number of whole seconds, at least 1, until there will be one. All clients
    // without an IP address share one bucket.
    std::optional<int> take_token(const ClientAddress& client, Time now);

    // The number of buckets in memory: those that are not full, and full ones that have not been
    // removed yet.
    std::size_t buckets() const;

  private:
    struct Hash {
        std::size_t operator()(const Address& address) const { return address.hash(); }
    };
    bool make_room(Time now);

    const AddressRanges unlimited_;
    const std::chrono::nanoseconds interval_;  // between two tokens; 0: no limit
    const std::chrono::nanoseconds span_;      // the time in which an empty bucket becomes full
    mutable std::mutex mutex_;
    std::unordered_map<Address, Time, Hash> full_at_;  // when each bucket will be full
    Time swept_{};
};

}  // namespace oai
