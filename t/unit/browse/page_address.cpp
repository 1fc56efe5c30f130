// SPDX-License-Identifier: MIT
#include "browse/page_address.h"

#include "t/lib/unit_headers.h"

TEST_CASE("page address: the path of base_url, with or without a slash at its end") {
    for (const char* base : {"/oai", "/oai/"}) CHECK(is_base(base, "/oai"));
    for (const char* other : {"", "/", "/oa", "/oaix", "/oai/x", "/oai//", "/x/oai"})
        CHECK_FALSE(is_base(other, "/oai"));
    CHECK(is_base("/", ""));
}

TEST_CASE("page address: what a part of a path stands for") {
    CHECK(decoded_path("oai:r.org:a/b") == "oai:r.org:a/b");
    CHECK(decoded_path("oai%3Ar.org%3a1+2%20%C5%BE") == "oai:r.org:1+2 \xC5\xBE");
    for (const char* none : {"", "%00", "%FF", "%4"}) CHECK_FALSE(decoded_path(none));
}

TEST_CASE("page address: the identifier survives encoding and decoding") {
    for (const std::string identifier :
         {"oai:r.org:1", "oai:r.org:a/b?c#d%41&e=f+g \"<>\xC5\xBE'", "oai:r.org://x//"}) {
        CAPTURE(identifier);
        const std::string path = record_path(identifier);
        CHECK(path.find_first_of("?#&<>\" '") == std::string::npos);
        CHECK(decoded_path(path.substr(path.find('/') + 1)) == identifier);
    }
}

TEST_CASE("page address: an address from metadata can stand in a header and in a link") {
    CHECK(encoded_address("http://r.org/a%20b?c=d&e#f[1]") == "http://r.org/a%20b?c=d&e#f[1]");
    CHECK(encoded_address("http://r.org/a b>\"<\r\nX: \xC5\xBE") ==
          "http://r.org/a%20b%3E%22%3C%0D%0AX:%20%C5%BE");
}
