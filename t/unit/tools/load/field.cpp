// SPDX-License-Identifier: MIT
#include "tools/load/field.h"

#include "protocol/identifier.h"
#include "t/lib/unit_headers.h"

using namespace oai::load;

namespace {

std::int64_t at(std::string_view s) {
    const auto t = parse_date(s);
    return t ? t->time_since_epoch().count() : -1;
}

std::string surt(std::string_view url) { return canonical_url(url).surt; }
std::string domain(std::string_view url) { return canonical_url(url).domain; }

}  // namespace

TEST_CASE("dates of digits are filled up behind the year, or cut") {
    CHECK(at("19700102000001") == 86401);
    for (const char* same :
         {"19700102000000", "197001020000", "1970010200", "19700102", "1970010", "197001020000001",
          "197001020000000001234", "19700102000000 x", "19700102000000x", "1970-01-02 00:00:00",
          "1970-01-02T01:00:00+01:00", "1970-01-02T00:00:00.5", "1970-01-02T00:00:00+0000",
          "1970-01-02T00:00", "2. 1. 1970"}) {
        INFO(same);
        CHECK(at(same) == (std::string_view(same) == "1970010" ? 0 : 86400));
    }
    CHECK(at("1971") == 365 * 86400);
    CHECK(at("197001") == 0);
    CHECK(at("19700101235960") == 86399);
    CHECK(at("1970-01-01T23:59:60Z") == 86399);
    for (const char* wrong :
         {"", "200", "20010229000000", "20010001000000", "20011301000000", "20010100000000",
          "20010101240000", "20010101006000", "20010101000061", "00000101000000", "200101010000x",
          "2001-1-2", "x20010101000000"})
        CHECK(at(wrong) == -1);
}

TEST_CASE("WARC dates of versions 1.0 and 1.1 are read") {
    CHECK(at("1970-01-02T00:00:01Z") == 86401);
    CHECK(at(" 1970-01-02T00:00:01.999999999Z\r") == 86401);
    CHECK(at("1970-01-02T00:01Z") == 86460);
    CHECK(at("1970-01-02") == 86400);
    CHECK(at("1970-02") == 31 * 86400);
    CHECK(at("1971") == 365 * 86400);
    for (const char* wrong : {"", "1970-01-02T00Z", "1970-02-30T00:00:00Z", "1970-01-02Z",
                              "1970-1-2", "1970-01-02T00:00:01Zx"})
        CHECK(at(wrong) == -1);
}

TEST_CASE("media types are checked by their grammar") {
    CHECK(media_type("text/html") == "text/html");
    CHECK(media_type(" Image/SVG+XML ; charset=x") == "image/svg+xml");
    CHECK(media_type("text/html, text/html") == "text/html");
    for (const char* nothing : {"", "-", "unk", "no-type", "warc/revisit", "text", "/html", "text/",
                                "text/ht ml", "a/b/c", "text/\xff", "text/\x01", "\"text/html\""})
        CHECK(media_type(nothing).empty());
}

TEST_CASE("status and digest are read") {
    CHECK(http_status("200") == 200);
    for (const char* none : {"", "-", "0", "99", "1000", "2OO"}) CHECK_FALSE(http_status(none));
    const std::string base32 = "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A";
    CHECK(digest(base32) == base32);
    CHECK(digest("sha1:b2ltwwpuoyah7uipq7zupq4vmbsvc36a") == base32);
    CHECK(digest("SHA-256:aBc") == "sha-256:aBc");
    CHECK(digest("aBc") == "aBc");
    for (const char* none : {"", "-", "sha1:", "a b", "a\xff"}) CHECK(digest(none).empty());
    CHECK(digest(std::string(151, 'A')).empty());
}

TEST_CASE("URLs become text without loss") {
    CHECK(clean_url(" <http://a/> ") == "http://a/");
    CHECK(clean_url("http://a/b c\td\x7f") == "http://a/b%20c%09d%7F");
    CHECK(clean_url("http://a/\xc4\x8d") == "http://a/\xc4\x8d");
    CHECK(clean_url("http://a/\xe8\xc4") == "http://a/%E8%C4");
    CHECK(clean_url("\xef\xbf\xbf") == "%EF%BF%BF");
    CHECK(clean_url("\xed\xa0\x80") == "%ED%A0%80");
    CHECK(encode_ill_formed("{\"a b\xe8\":\"\xc4\x8d\"}") == "{\"a b%E8\":\"\xc4\x8d\"}");
}

TEST_CASE("which records are no documents") {
    CHECK(kind_of_no_document("dns:example.com") == "dns");
    CHECK(kind_of_no_document("DNS:example.com") == "dns");
    CHECK(kind_of_no_document("filedesc://x.arc") == "filedesc");
    CHECK(kind_of_no_document("dns").empty());
    CHECK(kind_of_no_document("http://dns:80/").empty());
}

TEST_CASE("HTTP headers are read") {
    const HttpFacts facts = http_facts(
        "HTTP/1.0  301 Moved\r\nX: y\r\nCONTENT-TYPE:\r\n text/css\r\n\r\nContent-Type: no/no");
    CHECK(facts.status == 301);
    CHECK(facts.mimetype == "text/css");
    CHECK_FALSE(http_facts("ICY 200 OK\r\n").status);
    CHECK(http_facts("HTTP/1.1 200").status == 200);
    CHECK(http_facts("HTTP/1.1 200 OK\n\nContent-Type: text/html\n").mimetype.empty());
    CHECK_FALSE(http_facts("").status);
    CHECK_FALSE(http_facts("HTTP/1.1").status);
    CHECK(header_field("A: 1\r\na: 2\r\n", "a") == "1");
    CHECK(header_field("A: 1\r\nb : 2 \r\n 3\r\n", "b") == "2 3");
    CHECK_FALSE(header_field("A: 1\r\n", "b"));
}

TEST_CASE("unusable file names are dropped") {
    CHECK(file_name("a/b.warc.gz") == "a/b.warc.gz");
    CHECK(file_name("-").empty());
    CHECK(file_name("\xff").empty());
    CHECK(file_name(std::string(1001, 'a')).empty());
}

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
