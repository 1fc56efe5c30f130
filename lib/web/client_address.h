// SPDX-License-Identifier: MIT
// Identifies the client of a request: the address that the web server saw or that a trusted proxy
// forwarded, and the client's User-Agent. Pure.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/address.h"
#include "base/config.h"
#include "web/request.h"

namespace oai {

struct ClientAddress {
    std::string address;  // of the client; what the web server sent if that is not an IP address
    std::string agent;    // User-Agent, cut to 200 bytes, valid XML text
    std::optional<Address> ip;  // `address` parsed, if it is one
};

// Reads X-Forwarded-For from its end, skipping trusted proxies, up to the first address that is not
// one of these. An entry that is not an address ends the search, and the last proxy counts as the
// client. The header is ignored unless the peer is a trusted proxy.
ClientAddress client_of(const Request& request, const AddressRanges& trusted_proxies);

// Whether a proxy, trusted or not, forwarded the request for another host: X-Forwarded-For has an
// entry that is not a loopback address. Such a request may well come from loopback itself.
bool is_forwarded(const Request& request);

// The /24 or /48 of the client's address.
Address range_of(const ClientAddress& client);

// The key of the rate limit that a page for people counts against: that of a crawler whose
// User-Agent has one of these words, or of the client's address range, /24 or /48. nullopt: not
// limited, as for browsers (by Fetch Metadata) and this host.
std::optional<Address> page_budget(const Request& request, const ClientAddress& client,
                                   const std::vector<std::string>& crawlers);

// Limits the requests of each client by a token bucket: a number of requests at once, and a number
// per minute in the long run. Uses bounded memory. Thread-safe.
class RateLimit {
  public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RateLimit(const Config::Clients& options);

    // Takes a token from the client's bucket. Returns nullopt if there was one or the client is not
    // limited, else the number of whole seconds, at least 1, until there will be one. All clients
    // without an IP address share one bucket. `bucket`: use this one instead of the client's own.
    std::optional<int> take_token(const ClientAddress& client, Time now,
                                  std::optional<Address> bucket = {});

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
