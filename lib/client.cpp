// SPDX-License-Identifier: MIT
#include "client.h"

#include "base/text.h"

namespace oai {
namespace {

constexpr std::size_t kAgentBytes = 200;
constexpr std::size_t kAddressBytes = 64;

std::string shown(std::string_view sent, std::size_t most_bytes) {
    const std::string text = text::to_xml_text(sent.substr(0, most_bytes));
    return std::string(text::utf8_prefix(text, most_bytes));
}

Address forwarded(Address peer, std::string_view header, const AddressRanges& trusted) {
    while (contains(trusted, peer) && !header.empty()) {
        const std::size_t comma = header.rfind(',');
        const bool last = comma == std::string_view::npos;
        const auto before = Address::parse(text::trim(last ? header : header.substr(comma + 1)));
        if (!before) return peer;
        peer = *before;
        header = last ? std::string_view() : header.substr(0, comma);
    }
    return peer;
}

}  // namespace

Client client_of(const Request& request, const AddressRanges& trusted_proxies) {
    Client client;
    client.agent = shown(request.user_agent, kAgentBytes);
    client.ip = Address::parse(request.client);
    if (client.ip) client.ip = forwarded(*client.ip, request.forwarded_for, trusted_proxies);
    client.address = client.ip ? client.ip->text() : shown(request.client, kAddressBytes);
    return client;
}

}  // namespace oai
