// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "tools/static_repository/gateway.h"

using namespace oai::static_repository;

TEST_CASE("static repository: its address") {
    for (const char* url :
         {"http://an.oai.org/ma/mini.xml", "https://a.example:81/r.xml", "http://a.example/~b/r"})
        CHECK(address_fault(url).empty());
    for (const char* url :
         {"ftp://a.example/r.xml", "a.example/r.xml", "http://a.example/r.xml?v=2",
          "http://a.example/r.xml#top", "http://a.example/a b.xml", "http://a.example/",
          "http://a.example", "http:///r.xml", "http://", ""})
        CHECK_FALSE(address_fault(url).empty());
}

TEST_CASE("static repository: its base URL behind a gateway") {
    CHECK(gateway_base_url("http://gateway.institution.org/oai", "http://an.oai.org/ma/mini.xml") ==
          "http://gateway.institution.org/oai/an.oai.org/ma/mini.xml");
    CHECK(gateway_base_url("http://g.example:8080/oai/", "https://loca.org:81/da:ta") ==
          "http://g.example:8080/oai/loca.org%3A81/da:ta");
}

TEST_CASE("static repository: an encoded colon gives the same base URL") {
    CHECK(same_base_url("http://g.example/a:8080/r.xml", "http://g.example/a%3A8080/r.xml"));
    CHECK(same_base_url("http://g.example/a%3a8080/r.xml", "http://g.example/a%3A8080/r.xml"));
    CHECK_FALSE(same_base_url("http://g.example/a/r.xml", "http://g.example/a/r.xml/"));
    CHECK_FALSE(same_base_url("http://g.example/a/r.xml", "https://g.example/a/r.xml"));
    CHECK_FALSE(same_base_url("http://g.example/a/%3", "http://g.example/a/:"));
}

TEST_CASE("static repository: the gateway's URL is the part before the address") {
    CHECK(gateway_url("http://g.example/oai/a.example/r.xml", "http://a.example/r.xml") ==
          "http://g.example/oai/");
    CHECK(gateway_url("https://g.example/oai/a.example:81/r.xml", "https://a.example:81/r.xml") ==
          "https://g.example/oai/");
    CHECK(gateway_url("https://g.example/oai/a.example%3A81/r.xml", "http://a.example:81/r.xml") ==
          "https://g.example/oai/");
    CHECK_FALSE(gateway_url("http://g.example/oai", "http://a.example/r.xml"));
    CHECK_FALSE(gateway_url("http://g.example/xa.example/r.xml", "http://a.example/r.xml"));
    CHECK_FALSE(gateway_url("/a.example/r.xml", "http://a.example/r.xml"));
    for (const char* url : {"http://a.example/r.xml", "http://a.example:81/x:y"})
        for (const char* gateway : {"http://g.example/oai/", "http://g.example:8080/"})
            CHECK(gateway_url(gateway_base_url(gateway, url), url).has_value());
}
