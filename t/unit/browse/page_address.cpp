// SPDX-License-Identifier: MIT
#include "browse/page_address.h"

#include <catch2/catch.hpp>

using namespace oai;
using Kind = PageAddress::Kind;

TEST_CASE("page address: the path of base_url, with or without a slash at its end") {
    for (const char* base : {"/oai", "/oai/"}) CHECK(is_base(base, "/oai"));
    for (const char* other : {"", "/", "/oa", "/oaix", "/oai/x", "/oai//", "/x/oai"})
        CHECK_FALSE(is_base(other, "/oai"));
    CHECK(is_base("/", ""));
}

TEST_CASE("page address: each page has a path") {
    struct {
        const char* path;
        Kind kind;
        const char* subject;
    } const cases[] = {
        {"/oai/browse", Kind::home, ""},
        {"/oai/browse/", Kind::home, ""},
        {"/oai/browse/formats", Kind::formats, ""},
        {"/oai/browse/sets", Kind::sets, ""},
        {"/oai/browse/list", Kind::list, ""},
        {"/oai/browse/record", Kind::record, ""},
        {"/oai/browse/record/oai:r.org:a/b", Kind::record, "oai:r.org:a/b"},
        {"/oai/browse/record/oai%3Ar.org%3a1+2%20%C5%BE", Kind::record, "oai:r.org:1+2 \xC5\xBE"},
        {"/oai/browse/cite/ris/oai:r.org:a/b", Kind::citation, "ris/oai:r.org:a/b"},
        {"/oai/browse/cite/ris/oai:r.org:cite/ris/1", Kind::citation, "ris/oai:r.org:cite/ris/1"},
        {"/oai/browse/linkset/oai:r.org:a/b", Kind::linkset, "oai:r.org:a/b"},
        {"/oai/browse/cite/", Kind::unknown, ""},
        {"/oai/browse/sitemap.xml", Kind::sitemap_index, ""},
        {"/oai/browse/sitemap/0-10000", Kind::sitemap, "0-10000"},
        {"/oai/browse/robots.txt", Kind::robots, ""},
        {"/oai/browse/file/style.css", Kind::file, "style.css"},
        {"/oai/browse/record/", Kind::unknown, ""},
        {"/oai/browse/record/%00", Kind::unknown, ""},
        {"/oai/browse/record/%FF", Kind::unknown, ""},
        {"/oai/browse/record/%4", Kind::unknown, ""},
        {"/oai/browse/nothing", Kind::unknown, ""},
        {"/oai/browse/captures", Kind::captures, ""},
        {"/oai/captures", Kind::captures, ""},
        {"/oai/timemap/link/http://x.cz/%41", Kind::timemap, "link/http://x.cz/%41"},
        {"/oai/timegate/http://x.cz/", Kind::timegate, "http://x.cz/"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.path);
        const auto address = page_address(c.path, "/oai");
        REQUIRE(address);
        CHECK(address->kind == c.kind);
        CHECK(address->subject == c.subject);
    }
    for (const char* other :
         {"/oai", "/oai/", "/oai/browser", "/browse", "/oai/-/schema/x.xsd", "/x/oai/browse"})
        CHECK_FALSE(page_address(other, "/oai"));
}

TEST_CASE("page address: the identifier survives encoding and decoding") {
    for (const std::string identifier :
         {"oai:r.org:1", "oai:r.org:a/b?c#d%41&e=f+g \"<>\xC5\xBE'", "oai:r.org://x//"}) {
        CAPTURE(identifier);
        const std::string path = record_path(identifier);
        CHECK(path.find_first_of("?#&<>\" '") == std::string::npos);
        CHECK(page_address("/oai/browse/" + path, "/oai")->subject == identifier);
    }
}

TEST_CASE("page address: an address from metadata can stand in a header and in a link") {
    CHECK(encoded_address("http://r.org/a%20b?c=d&e#f[1]") == "http://r.org/a%20b?c=d&e#f[1]");
    CHECK(encoded_address("http://r.org/a b>\"<\r\nX: \xC5\xBE") ==
          "http://r.org/a%20b%3E%22%3C%0D%0AX:%20%C5%BE");
}
