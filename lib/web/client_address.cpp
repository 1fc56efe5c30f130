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

bool is_forwarded(const Request& request) {
    static const AddressRanges kLoopback = address_ranges({"127.0.0.0/8", "::1"});
    if (request.forwarded_for.empty()) return false;
    const auto entries = text::split(request.forwarded_for, ',');
    return !std::all_of(entries.begin(), entries.end(), [](std::string_view entry) {
        const auto address = Address::parse(text::trim(entry));
        return address && contains(kLoopback, *address);
    });
}

}  // namespace oai
