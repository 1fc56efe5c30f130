// SPDX-License-Identifier: MIT
// A token bucket for each client: so many requests at once, so many a minute in the long run. Bounded memory; thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/config.h"
#include "client.h"

namespace oai {

class RateLimit {
  public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RateLimit(const Config::Clients& options);

    // Takes a token from the client's bucket; nullopt if there was one, or the client is not limited. Else the whole
    // seconds, at least 1, until there will be one. A client without an IP address shares its bucket with all of these.
    std::optional<int> refuse_for(const Client& client, Time now);

    std::size_t buckets() const;  // that are not full, or have not been looked at since they were

  private:
    struct Hash {
        std::size_t operator()(const Address& address) const { return address.hash(); }
    };
    bool make_room(Time now);

    const AddressRanges unlimited_;
    const std::chrono::nanoseconds interval_;  // from token to token; 0: no limit
    const std::chrono::nanoseconds span_;      // in which an empty bucket fills
    mutable std::mutex mutex_;
    std::unordered_map<Address, Time, Hash> full_at_;
    Time swept_{};
};

}  // namespace oai
