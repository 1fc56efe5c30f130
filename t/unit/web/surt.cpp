// SPDX-License-Identifier: MIT
// The SURTs themselves are tested beside the names of sets: t/unit/tools/load/surt.cpp.
#include "web/surt.h"

#include "t/lib/unit_headers.h"

TEST_CASE("a host as people write it begins a SURT") {
    CHECK(normal_host("www.H\xc3\xa1\xc4\x8dky.cz.").text == "www.xn--hky-ela4t.cz");
    CHECK(normal_host("EXAMPLE.cz").text == "example.cz");
    CHECK(normal_host("[2001:DB8:0::1]").text == "[2001:db8::1]");
    CHECK(normal_host("192.0.2.1").ip);
    CHECK_FALSE(normal_host("192.0.2.1.cz").ip);
    CHECK(surt_of_host(normal_host("www.example.cz")) == "cz,example");
    CHECK(surt_of_host(normal_host("blog.example.cz")) == "cz,example,blog");
    CHECK(surt_of_host(normal_host("192.0.2.1")) == "192.0.2.1");
    CHECK(surt_of("http://www.example.cz/a").host.text == "www.example.cz");
    CHECK(surt_of("mailto:a@b.cz").host.text.empty());
}
