// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "browse/page_functions.h"

using oai::readable_host;

TEST_CASE("readable host: A-labels as the letters that they stand for") {
    struct {
        const char *address, *readable;
    } const cases[] = {
        {"http://xn--hkyrky-ptac70bc.cz/app-8.js",
         "http://h\u00e1\u010dky\u010d\u00e1rky.cz/app-8.js"},
        {"https://www.xn--bcher-kva.example:8080/a?b=xn--c#d",
         "https://www.b\u00fccher.example:8080/a?b=xn--c#d"},
        {"http://XN--BCHER-KVA.example/", "http://b\u00fccher.example/"},
        {"xn--bcher-kva.example", "b\u00fccher.example"},
        {"xn--bcher-kva.example/path", "b\u00fccher.example/path"},
        {"http://xn--fa-hia.de", "http://fa\u00df.de"},
        {"http://xn--p1ai.xn--p1ai/", "http://\u0440\u0444.\u0440\u0444/"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.address);
        CHECK(readable_host(c.address) == c.readable);
    }
}

TEST_CASE("readable host: what is no A-label, or no host, stays as it is") {
    for (const char* address :
         {"", "http://", "http://example.org/xn--bcher-kva", "example.org", "xn--bcher-kva",
          "http://xn--.cz/", "http://xn--999999999.cz/", "http://xn--a.cz/",
          // A user's name that looks like a host.
          "http://xn--bcher-kva.example@evil.example/",
          "http://xn--bcher-kva.example:x@evil.example/",
          // An A-label that stands for plain letters, and two that would be written otherwise.
          "http://xn--paypal-.com/", "http://xn--u-ccb.example/", "http://xn--hky-ckc4nr3ac.cz/",
          "ftp://xn--bcher-kva.example/", "A title with xn--bcher-kva.example in it",
          "http://xn--bcher-kva .example/"}) {
        CAPTURE(address);
        CHECK(readable_host(address) == "");
    }
    CHECK(readable_host("http://" + std::string(300, 'a') + ".xn--bcher-kva.example/") == "");
    CHECK(readable_host(std::string("http://xn--bcher-kva.example\0x", 29)) == "");
}
