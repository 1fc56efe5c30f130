// SPDX-License-Identifier: MIT
// Bytes go to a server and come back as they are.
#include "tools/http_client/raw.h"

#include <catch2/catch.hpp>

#include "t/unit/tools/http_client/server.h"
#include "tools/http_client/message.h"

using namespace oai::http;
using oai::http::test::Server;
using std::chrono::milliseconds;

TEST_CASE("raw: bytes are sent as they are, and all that comes back is returned") {
    const std::string much = "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x');
    Server server([&](const std::string&) { return much; });
    const std::string asked = "HEAD /?a=%00 HTTP/1.1\r\nHost: x\r\n\r\n";
    const RawResponse got = send_raw(server.url("/oai"), asked, milliseconds{5000});
    CHECK(got.bytes == much);
    CHECK(got.closed);
    CHECK(server.requests().at(0) == asked);
}

TEST_CASE("raw: nobody listens, or the address is none") {
    std::string closed;
    {
        Server server([](const std::string&) { return ""; });
        closed = server.url("/oai");
    }
    CHECK_THROWS_AS(send_raw(closed, "x", milliseconds{1000}), TransferError);
    CHECK_THROWS_AS(send_raw("ftp://example.org/", "x", milliseconds{1000}), TransferError);
}

TEST_CASE("raw: a URL has a host, perhaps with a port, and a path") {
    CHECK(split_url("http://example.org:81/a/b").host == "example.org:81");
    CHECK(split_url("https://example.org/a%20b").path == "/a%20b");
    CHECK(split_url("http://[::1]:8080").host == "[::1]:8080");
    CHECK(split_url("http://[::1]:8080").path == "/");
    CHECK_THROWS_AS(split_url("nothing at all"), TransferError);
}
