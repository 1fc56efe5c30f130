// SPDX-License-Identifier: MIT
// Identifies the client of a request: the address that the web server saw or that a trusted proxy
// forwarded, and the client's User-Agent. The address is as trustworthy as the proxies are; the
// User-Agent is whatever the client sent. Pure.
#pragma once

#include <string>

#include "base/address.h"
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

}  // namespace oai
