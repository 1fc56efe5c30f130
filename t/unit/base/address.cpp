// SPDX-License-Identifier: MIT
#include "base/address.h"

#include "t/lib/unit_headers.h"

TEST_CASE("address: IPv4 and IPv6 are read and written, nothing else is") {
    for (const char* text :
         {"192.0.2.1", "0.0.0.0", "255.255.255.255", "::1", "2001:db8::1", "::"}) {
        CAPTURE(text);
        REQUIRE(Address::parse(text));
        CHECK(Address::parse(text)->text() == text);
    }
    for (const std::string_view text :
         {"", " ", "192.0.2", "192.0.2.256", "192.0.2.1:80", "192.0.2.1 ", "[::1]", "fe80::1%eth0",
          "unix:", "unknown", "192.0.2.01a", "1::2::3"}) {
        CAPTURE(text);
        CHECK(!Address::parse(text));
    }
    CHECK(!Address::parse(std::string_view("::1\0", 4)));
    CHECK(*Address::parse("::ffff:192.0.2.1") == *Address::parse("192.0.2.1"));
    CHECK(Address::parse("::ffff:192.0.2.1")->text() == "192.0.2.1");
    CHECK(Address::parse("2001:DB8:0::1")->text() == "2001:db8::1");
}

TEST_CASE("address: an IPv6 client is its network, an IPv4 client itself") {
    CHECK(Address::parse("192.0.2.1")->client_network() == *Address::parse("192.0.2.1"));
    CHECK(Address::parse("2001:db8:1:2:3:4:5:6")->client_network() ==
          *Address::parse("2001:db8:1:2::"));
    CHECK(Address::parse("2001:db8:1:2::1")->client_network() !=
          Address::parse("2001:db8:1:3::1")->client_network());
    CHECK(Address::parse("2001:db8:1:2::1")->client_network().hash() ==
          Address::parse("2001:db8:1:2::9")->client_network().hash());
}

TEST_CASE("address: a range contains the addresses of its prefix") {
    const auto in = [](const char* range, const char* address) {
        CAPTURE(range, address);
        REQUIRE(AddressRange::parse(range));
        return AddressRange::parse(range)->contains(*Address::parse(address));
    };
    CHECK(in("192.0.2.0/24", "192.0.2.0"));
    CHECK(in("192.0.2.0/24", "192.0.2.255"));
    CHECK(!in("192.0.2.0/24", "192.0.3.0"));
    CHECK(!in("192.0.2.0/24", "2001:db8::1"));
    CHECK(in("192.0.2.128/25", "192.0.2.129"));
    CHECK(!in("192.0.2.128/25", "192.0.2.127"));
    CHECK(in("192.0.2.7", "192.0.2.7"));
    CHECK(!in("192.0.2.7", "192.0.2.6"));
    CHECK(in("0.0.0.0/0", "203.0.113.9"));
    CHECK(!in("0.0.0.0/0", "::1"));
    CHECK(in("::/0", "2001:db8::1"));
    CHECK(in("2001:db8::/33", "2001:db8:7fff::1"));
    CHECK(!in("2001:db8::/33", "2001:db8:8000::1"));
    CHECK(in("::1", "::1"));
}

TEST_CASE("address: a range that is malformed or has bits beyond its prefix is rejected") {
    for (const char* text :
         {"192.0.2.1/24", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/-1", "192.0.2.0/+8",
          "192.0.2.0/8x", "2001:db8::1/64", "2001:db8::/129", "/24", "", "example.org"}) {
        CAPTURE(text);
        CHECK(!AddressRange::parse(text));
    }
}
