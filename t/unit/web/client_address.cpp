// SPDX-License-Identifier: MIT
#include "web/client_address.h"

#include <catch2/catch.hpp>

using namespace oai;

namespace {

std::string address_of(const std::string& peer, const std::string& forwarded_for) {
    const AddressRanges trusted = address_ranges({"10.0.0.0/8", "2001:db8::5"});
    Request request;
    request.client = peer;
    request.forwarded_for = forwarded_for;
    return client_of(request, trusted).address;
}

}  // namespace

TEST_CASE("client: X-Forwarded-For counts from trusted proxies alone") {
    CHECK(address_of("192.0.2.1", "198.51.100.9") == "192.0.2.1");
    CHECK(address_of("10.0.0.1", "198.51.100.9") == "198.51.100.9");
    CHECK(address_of("2001:db8::5", "2001:db8:1::9") == "2001:db8:1::9");
    CHECK(address_of("10.0.0.1", "") == "10.0.0.1");
}

TEST_CASE("client: entries before the first address that is not trusted are ignored") {
    CHECK(address_of("10.0.0.1", "203.0.113.1, 198.51.100.9") == "198.51.100.9");
    CHECK(address_of("10.0.0.1", "203.0.113.1,198.51.100.9 ,\t10.2.3.4") == "198.51.100.9");
    CHECK(address_of("10.0.0.1", "10.9.9.9, 10.2.3.4") == "10.9.9.9");
    CHECK(address_of("10.0.0.1", "203.0.113.1, unknown") == "10.0.0.1");
    CHECK(address_of("10.0.0.1", "203.0.113.1, unknown, 10.2.3.4") == "10.2.3.4");
    CHECK(address_of("10.0.0.1", "203.0.113.1,") == "10.0.0.1");
    CHECK(address_of("10.0.0.1", ",") == "10.0.0.1");
}

TEST_CASE("client: a request is forwarded if any entry of X-Forwarded-For is another host") {
    const auto forwarded = [](const std::string& header) {
        Request request;
        request.client = "127.0.0.1";
        request.forwarded_for = header;
        return is_forwarded(request);
    };
    CHECK_FALSE(forwarded(""));
    CHECK_FALSE(forwarded("127.0.0.1"));
    CHECK_FALSE(forwarded("::1, 127.8.9.1"));
    CHECK(forwarded("203.0.113.9"));
    CHECK(forwarded("127.0.0.1, 203.0.113.9"));
    CHECK(forwarded("203.0.113.9, 127.0.0.1"));
    CHECK(forwarded("unknown"));
    CHECK(forwarded(","));
}

TEST_CASE("client: a peer that is not an address is kept as text, within limits") {
    CHECK(address_of("unix:", "198.51.100.9") == "unix:");
    CHECK(address_of("", "198.51.100.9") == "");
    CHECK(address_of(std::string(1000, 'x'), "").size() == 64);
    Request request;
    request.user_agent = std::string(199, 'a') + "\xC3\xA4\xC3\xA4\n\xFF";
    CHECK(client_of(request, {}).agent.size() <= 200);
    request.user_agent = "a\x01\xFF";
    CHECK(client_of(request, {}).agent == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}
