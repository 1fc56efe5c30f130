// SPDX-License-Identifier: MIT
// Who asks: the address that the web server saw, or the one that a trusted proxy forwards, and the name that the client
// gives itself. An address can be trusted as far as the proxies can; a name is only what somebody wrote. Pure.
#pragma once

#include <string>

#include "base/address.h"
#include "request.h"

namespace oai {

struct Client {
    std::string address;        // of the client; what the web server said where that is no IP address
    std::string agent;          // User-Agent, at most 200 bytes, XML text
    std::optional<Address> ip;  // address, unless it is none
};

// X-Forwarded-For is read from its end, past trusted proxies, to the first address that is none; an entry that is no
// address ends that, and the last proxy is taken for the client. From a peer that is not trusted it is not read at all.
Client client_of(const Request& request, const AddressRanges& trusted_proxies);

}  // namespace oai
