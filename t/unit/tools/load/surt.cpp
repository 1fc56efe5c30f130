// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "protocol/identifier.h"
#include "tools/load/field.h"

using namespace oai;
using namespace oai::load;

namespace {
std::string surt(std::string_view url) { return canonical_url(url).surt; }
std::string domain(std::string_view url) { return canonical_url(url).domain; }
}  // namespace

TEST_CASE("SURTs equal those of other tools") {
    CHECK(surt("http://www.iana.org/") == "org,iana)/");
    CHECK(surt("http://example.com") == "com,example)/");
    CHECK(surt("https://www2.Example.com:443/A/B/?#x") == "com,example)/a/b");
    CHECK(surt("http://example.com:443/") == "com,example:443)/");
    CHECK(surt("http://user:pw@example.com:8080/x?y=1#z") == "com,example:8080)/x?y=1");
    CHECK(surt("http://example.com?example=1") == "com,example)/?example=1");
    CHECK(surt("http://example.com/?b=b&a=b&b=a&a=a") == "com,example)/?a=a&a=b&b=a&b=b");
    CHECK(surt("http://example.com/?a=1&") == "com,example)/?&a=1");
    CHECK(surt("http://example.com//a/./b/../c//") == "com,example)/a/c");
    CHECK(surt("http://example.com/../..") == "com,example)/");
    CHECK(surt("http://host/%25%32%35%25%32%35") == "host)/%25%25");
    CHECK(surt("http://host/%2525252525252525") == "host)/%25");
    CHECK(surt("http://host/%%%25%32%35asd%%") == "host)/%25%25%25asd%25%25");
    CHECK(surt("http://h.com/ab%23cd%20\xc4\x8d") == "com,h)/ab%23cd%20%c4%8d");
    CHECK(surt("http://www2foo.com/") == "com,www2foo)/");
    CHECK(surt("http://www.google.com.../") == "com,google)/");
    CHECK(surt("http://example.com:/x") == "com,example)/x");
}

TEST_CASE("session ids are removed") {
    const std::string id(32, 'a');
    CHECK(surt("http://e.com/x?sid=" + id + "&b=1") == "com,e)/x?b=1");
    CHECK(surt("http://e.com/x?PHPSESSID=" + id) == "com,e)/x");
    CHECK(surt("http://e.com/x;jsessionid=" + id + "?b=1") == "com,e)/x?b=1");
    CHECK(surt("http://e.com/x?cfid=1&cftoken=2&z") == "com,e)/x?z");
    CHECK(surt("http://e.com/x?sid=short") == "com,e)/x?sid=short");
}

TEST_CASE("hosts that are IP addresses or not ASCII") {
    CHECK(surt("http://192.0.2.1/Info/") == "192.0.2.1)/info");
    CHECK(domain("http://192.0.2.1:8080/") == "ip:192.0.2.1");
    CHECK(surt("http://[2001:DB8:0::1]:81/") == "[2001:db8::1]:81)/");
    CHECK(domain("http://[2001:DB8:0::1]/") == "ip:2001~3Adb8~3A~3A1");
    CHECK(surt("http://www.h\xc3\xa1\xc4\x8dky.cz/") == "cz,xn--hky-ela4t)/");
    CHECK(domain("http://www.H\xc3\x81\xc4\x8dky.cz./") ==
          domain("http://www.h%C3%A1%C4%8Dky.cz/"));
    CHECK(domain("http://www.xn--hky-ela4t.cz/") == "cz:xn--hky-ela4t:www");
    CHECK(domain("http://a_b.example.com/") == "com:example:a_b");
    CHECK(domain("http://a%20b.com/") == "com:a~20b");
    CHECK(is_set_spec(domain("http://\xe2\x80\x8b.\xff.com/")));
}

TEST_CASE("URLs of other schemes are kept") {
    CHECK(surt("ftp://ftp.example.com/Pub/x") == "ftp://com,example,ftp)/pub/x");
    CHECK(domain("ftp://ftp.example.com/") == "com:example:ftp");
    CHECK(surt("urn:X:y") == "urn:x:y");
    CHECK(domain("urn:X:y").empty());
    CHECK(domain("mailto:a@b.cz").empty());
    CHECK(surt("http:///x") == "http:///x");
    CHECK(domain("http:///x").empty());
}

TEST_CASE("long SURTs are shortened and remain distinct") {
    const std::string a = "http://e.com/" + std::string(5000, 'x'), b = a + "y";
    CHECK(surt(a).size() == 2000);
    CHECK(surt(b).size() == 2000);
    CHECK(surt(a) != surt(b));
    CHECK(surt(a).substr(0, 8) == "com,e)/x");
    CHECK(domain("http://" + std::string(300, 'a') + ".cz/").empty());
}

TEST_CASE("names of the sets of media types and collections") {
    CHECK(mimetype_name("image/svg+xml") == "image:svg~2Bxml");
    CHECK(mimetype_name("").empty());
    CHECK(collection_name("culture:estonia") == "culture:estonia");
    CHECK(collection_name("col:culture:estonia") == "culture:estonia");
    CHECK(collection_name("a b").empty());
    CHECK(collection_name("a::b").empty());
    CHECK(collection_name("").empty());
}
