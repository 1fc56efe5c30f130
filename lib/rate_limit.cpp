// SPDX-License-Identifier: MIT
#include "rate_limit.h"

#include <algorithm>

namespace oai {
namespace {

// Some 8 MB. Beyond that clients that are new go unlimited, and have the pool's limit before them as all do: to forget
// those that have spent their tokens would be worse.
constexpr std::size_t kMostBuckets = 100'000;
constexpr std::chrono::seconds kSweepPause{1};

std::chrono::nanoseconds interval(int per_minute) {
    return per_minute > 0 ? std::chrono::nanoseconds(std::chrono::minutes{1}) / per_minute : std::chrono::nanoseconds{0};
}

}  // namespace

RateLimit::RateLimit(const Config::Clients& options)
    : unlimited_(address_ranges(options.unlimited)),
      interval_(interval(options.requests_per_minute)),
      span_(interval_ * options.burst) {}

// A bucket is the time at which it will be full again: each token taken moves it by one interval.
std::optional<int> RateLimit::refuse_for(const Client& client, Time now) {
    if (interval_.count() == 0 || (client.ip && contains(unlimited_, *client.ip))) return std::nullopt;
    const Address party = client.ip ? client.ip->party() : Address();
    const std::lock_guard lock(mutex_);
    const auto found = full_at_.find(party);
    if (found == full_at_.end() && !make_room(now)) return std::nullopt;
    const Time full_at = (found == full_at_.end() ? now : std::max(found->second, now)) + interval_;
    if (full_at - now <= span_) {
        full_at_.insert_or_assign(party, full_at);
        return std::nullopt;
    }
    return static_cast<int>(std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(full_at - now - span_).count()));
}

// Full buckets need not be remembered. They are looked for at most once a second, or looking would be the overload.
bool RateLimit::make_room(Time now) {
    if (full_at_.size() < kMostBuckets) return true;
    if (now - swept_ < kSweepPause) return false;
    swept_ = now;
    std::erase_if(full_at_, [now](const auto& bucket) { return bucket.second <= now; });
    return full_at_.size() < kMostBuckets;
}

std::size_t RateLimit::buckets() const {
    const std::lock_guard lock(mutex_);
    return full_at_.size();
}

}  // namespace oai
