// SPDX-License-Identifier: MIT
#include "web/rate_limit.h"

#include <algorithm>

namespace oai {
namespace {

// These take some 8 MB. With more clients, new ones are not limited here, only by the connection
// pool; forgetting clients that have used up their tokens would be worse.
constexpr std::size_t kMaxBuckets = 100'000;
constexpr std::chrono::seconds kSweepInterval{1};

std::chrono::nanoseconds interval(int per_minute) {
    return per_minute > 0 ? std::chrono::nanoseconds(std::chrono::minutes{1}) / per_minute
                          : std::chrono::nanoseconds{0};
}

}  // namespace

RateLimit::RateLimit(const Config::Clients& options)
    : unlimited_(address_ranges(options.unlimited)),
      interval_(interval(options.requests_per_minute)),
      span_(interval_ * options.burst) {}

// A bucket is represented by the time at which it will be full again; taking a token moves that by
// one interval.
std::optional<int> RateLimit::take_token(const ClientAddress& client, Time now) {
    if (interval_.count() == 0 || (client.ip && contains(unlimited_, *client.ip)))
        return std::nullopt;
    const Address network = client.ip ? client.ip->client_network() : Address();
    const std::lock_guard lock(mutex_);
    const auto found = full_at_.find(network);
    if (found == full_at_.end() && !make_room(now)) return std::nullopt;
    const Time full_at = (found == full_at_.end() ? now : std::max(found->second, now)) + interval_;
    if (full_at - now <= span_) {
        full_at_.insert_or_assign(network, full_at);
        return std::nullopt;
    }
    return static_cast<int>(std::max<std::int64_t>(
        1, std::chrono::ceil<std::chrono::seconds>(full_at - now - span_).count()));
}

// Removes full buckets, which hold no information. Runs at most once a second, since it visits all
// buckets.
bool RateLimit::make_room(Time now) {
    if (full_at_.size() < kMaxBuckets) return true;
    if (now - swept_ < kSweepInterval) return false;
    swept_ = now;
    std::erase_if(full_at_, [now](const auto& bucket) { return bucket.second <= now; });
    return full_at_.size() < kMaxBuckets;
}

std::size_t RateLimit::buckets() const {
    const std::lock_guard lock(mutex_);
    return full_at_.size();
}

}  // namespace oai
