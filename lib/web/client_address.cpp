// SPDX-License-Identifier: MIT
#include "web/client_address.h"

#include <algorithm>

#include "base/text.h"

namespace oai {
namespace {

constexpr std::size_t kMaxAgentBytes = 200;
constexpr std::size_t kMaxAddressBytes = 64;

// Client input as valid XML text of at most max_bytes.
std::string bounded_text(std::string_view input, std::size_t max_bytes) {
    const std::string text = text::to_xml_text(input.substr(0, max_bytes));
    return std::string(text::utf8_prefix(text, max_bytes));
}

Address resolve_forwarded(Address peer, std::string_view header, const AddressRanges& trusted) {
    while (contains(trusted, peer) && !header.empty()) {
        const std::size_t comma = header.rfind(',');
        const bool is_last = comma == std::string_view::npos;
        const auto previous =
            Address::parse(text::trim(is_last ? header : header.substr(comma + 1)));
        if (!previous) return peer;
        peer = *previous;
        header = is_last ? std::string_view() : header.substr(0, comma);
    }
    return peer;
}

bool is_loopback(const std::optional<Address>& address) {
    static const AddressRanges kLoopback = address_ranges({"127.0.0.0/8", "::1"});
    return address && contains(kLoopback, *address);
}

// These take some 8 MB. With more clients, new ones are not limited here, only by the connection
// pool; forgetting clients that have used up their tokens would be worse.
constexpr std::size_t kMaxBuckets = 100'000;
constexpr std::chrono::seconds kSweepInterval{1};

}  // namespace

ClientAddress client_of(const Request& request, const AddressRanges& trusted_proxies) {
    ClientAddress client;
    client.agent = bounded_text(request.user_agent, kMaxAgentBytes);
    client.ip = Address::parse(request.client);
    if (client.ip)
        client.ip = resolve_forwarded(*client.ip, request.forwarded_for, trusted_proxies);
    client.address = client.ip ? client.ip->text() : bounded_text(request.client, kMaxAddressBytes);
    return client;
}

Address range_of(const ClientAddress& client) {
    const Address ip = client.ip.value_or(Address());
    return ip.prefix(ip.is_v4() ? 96 + 24 : 48);
}

std::optional<Address> page_budget(const Request& request, const ClientAddress& client,
                                   const std::vector<std::string>& crawlers) {
    const std::string agent = text::lower_ascii(client.agent);
    for (std::size_t i = 0; i < crawlers.size(); ++i)
        if (agent.find(crawlers[i]) != agent.npos)  // an address that no client has
            return Address::parse("fc00::" + std::to_string(i + 1));
    if (!request.fetch_dest.empty() || is_loopback(client.ip)) return std::nullopt;
    return range_of(client);
}

bool is_forwarded(const Request& request) {
    if (request.forwarded_for.empty()) return false;
    const auto entries = text::split(request.forwarded_for, ',');
    return !std::all_of(entries.begin(), entries.end(), [](std::string_view entry) {
        return is_loopback(Address::parse(text::trim(entry)));
    });
}

RateLimit::RateLimit(const Config::Clients& options)
    : unlimited_(address_ranges(options.unlimited)),
      interval_(std::chrono::nanoseconds(std::chrono::minutes{options.requests_per_minute > 0}) /
                std::max(1, options.requests_per_minute)),
      span_(interval_ * options.burst) {}

// A bucket is the time at which it will be full again; a token moves that by one interval.
std::optional<int> RateLimit::take_token(const ClientAddress& client, Time now,
                                         std::optional<Address> bucket) {
    if (interval_.count() == 0 || (client.ip && contains(unlimited_, *client.ip)))
        return std::nullopt;
    const Address network = bucket ? *bucket : client.ip ? client.ip->client_network() : Address();
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

// Removes full buckets, which hold no information, at most once a second.
bool RateLimit::make_room(Time now) {
    if (full_at_.size() < kMaxBuckets) return true;
    if (now - swept_ < kSweepInterval) return false;
    swept_ = now;
    std::erase_if(full_at_, [now](const auto& bucket) { return bucket.second <= now; });
    return full_at_.size() < kMaxBuckets;
}

}  // namespace oai
