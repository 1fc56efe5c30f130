// SPDX-License-Identifier: MIT
// Bytes go to a server and come back as they are.
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "base/fd.h"
#include "t/lib/wait.h"
#include "t/unit/tools/http_client/server.h"
#include "tools/http_client/client.h"

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

TEST_CASE("raw: a server that sends a byte now and then is not waited for without end") {
    const oai::Fd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    std::thread server([&] {
        const oai::Fd client(::accept(listener.get(), nullptr, nullptr));
        for (int i = 0; i < 30'000 && ::send(client.get(), "x", 1, MSG_NOSIGNAL) == 1; ++i)
            oai::test::pace(milliseconds{10});
    });
    const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    const RawResponse got = send_raw(url, "x", milliseconds{1000});
    CHECK(got.bytes.size() > 1);
    CHECK_FALSE(got.closed);  // it has left before the server would
    server.join();
}

TEST_CASE("raw: a URL has a host, perhaps with a port, and a path") {
    CHECK(split_url("http://example.org:81/a/b").host == "example.org:81");
    CHECK(split_url("https://example.org/a%20b").path == "/a%20b");
    CHECK(split_url("http://[::1]:8080").host == "[::1]:8080");
    CHECK(split_url("http://[::1]:8080").path == "/");
    CHECK_THROWS_AS(split_url("nothing at all"), TransferError);
}
