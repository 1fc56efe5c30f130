// SPDX-License-Identifier: MIT
// Whose request it is. The input consists of three lines: the web server's peer, X-Forwarded-For
// and User-Agent.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "require.h"
#include "web/client_address.h"

namespace {

Request request_of(std::string_view input) {
    Request request;
    const std::array<std::string*, 3> fields{&request.client, &request.forwarded_for,
                                             &request.user_agent};
    for (std::string* field : fields) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        *field = input.substr(0, end);
        input.remove_prefix(std::min(end + 1, input.size()));
    }
    return request;
}

void check_bounds(const ClientAddress& client) {
    require(client.address.size() <= 64 && client.agent.size() <= 200);
    require(text::is_xml_text(client.address) && text::is_xml_text(client.agent));
    if (client.ip) require(Address::parse(client.address) == client.ip);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const AddressRanges kTrusted = address_ranges({"127.0.0.0/8", "::1", "192.0.2.0/24"});
    Request request = request_of({reinterpret_cast<const char*>(data), size});
    check_bounds(client_of(request, kTrusted));
    // Nobody is trusted: the header says nothing.
    const ClientAddress peer = client_of(request, {});
    check_bounds(peer);
    if (peer.ip && !contains(kTrusted, *peer.ip))
        require(client_of(request, kTrusted).ip == peer.ip);
    // What a client adds in front of what the proxies wrote changes nothing.
    if (!request.forwarded_for.empty()) {
        const ClientAddress before = client_of(request, kTrusted);
        const bool is_decided = before.ip && !contains(kTrusted, *before.ip);
        request.forwarded_for.insert(0, "198.51.100.7, ");
        if (is_decided) require(client_of(request, kTrusted).ip == before.ip);
        require(is_forwarded(request));
    }
    return 0;
}
