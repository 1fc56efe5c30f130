// SPDX-License-Identifier: MIT
#include "tools/http_client/client.h"

#include "t/lib/wait.h"
#include "t/unit/tools/http_client/server.h"
#include "t/unit/tools/load/support.h"

using namespace oai::http;
using oai::http::test::answer, oai::http::test::field, oai::http::test::Server;

namespace {

FailureKind trouble_with(Client& client, const ClientRequest& request) {
    try {
        client.send(request);
    } catch (const TransferError& e) {
        CHECK(std::string(e.what()).starts_with(request.url + ": "));
        return e.kind();
    }
    FAIL("it was answered");
    return {};
}

}  // namespace

TEST_CASE("a request has User-Agent and From, and a response is read completely") {
    Server server([](const std::string&) {
        return answer("200 OK", "Content-TYPE:  text/xml \r\nX-A: 1\r\nX-A: 2\r\n", "<a/>");
    });
    Client client({.user_agent = "tester/1", .from = "admin@example.org"});
    ClientRequest request{.url = server.url("/oai?verb=Identify")};
    request.headers.add("Accept", "text/xml");
    request.headers.add("X-Empty", "");
    const ClientResponse got = client.send(request);
    CHECK(got.status == 200);
    CHECK(got.body == "<a/>");
    CHECK(got.url == server.url("/oai?verb=Identify"));
    CHECK(got.headers.find("content-type") == "text/xml");
    CHECK(got.headers.find("x-a") == "1");
    CHECK_FALSE(got.headers.find("x-b"));
    CHECK(got.wire_bytes == 4);
    CHECK_FALSE(got.retry_after);
    const std::string asked = server.requests().at(0);
    CHECK(asked.starts_with("GET /oai?verb=Identify HTTP/1.1\r\n"));
    CHECK(field(asked, "User-Agent") == "tester/1");
    CHECK(field(asked, "From") == "admin@example.org");
    CHECK(field(asked, "Accept") == "text/xml");
    CHECK_THAT(asked, Contains("\r\nX-Empty:\r\n"));
    CHECK(field(asked, "Accept-Encoding").empty());
}

TEST_CASE("POST has a body, and the next GET has none") {
    Server server([](const std::string&) { return answer("200 OK", "", "fine"); });
    Client client({});
    client.send({.url = server.url(), .method = "POST", .body = "verb=Identify"});
    client.send({.url = server.url()});
    CHECK(client.send({.url = server.url(), .method = "HEAD"}).body.empty());
    const auto asked = server.requests();
    CHECK(asked.at(0).starts_with("POST / "));
    CHECK(field(asked.at(0), "Content-Type") == "application/x-www-form-urlencoded");
    CHECK(asked.at(0).ends_with("\r\n\r\nverb=Identify"));
    CHECK(asked.at(1).starts_with("GET / "));
    CHECK(asked.at(1).ends_with("\r\n\r\n"));
    CHECK(asked.at(2).starts_with("HEAD / "));
}

TEST_CASE("a response of any status is returned with its body") {
    Server server([](const std::string&) { return answer("404 Not Found", "", "no such page"); });
    Client client({});
    const ClientResponse got = client.send({.url = server.url()});
    CHECK(got.status == 404);
    CHECK(got.body == "no such page");
}

TEST_CASE("a range is sent with one request only") {
    Server server([](const std::string&) { return answer("206 Partial Content", "", "abc"); });
    Client client({});
    CHECK(
        client.send({.url = server.url(), .range = ByteRange{.offset = 5'000'000'000, .length = 3}})
            .status == 206);
    client.send({.url = server.url()});
    CHECK(field(server.requests().at(0), "Range") == "bytes=5000000000-5000000002");
    CHECK(field(server.requests().at(1), "Range").empty());
}

TEST_CASE("a body is decoded only if the request asked for encodings") {
    const std::string plain(10'000, 'x'), gzip = oai::load::test::gzip(plain);
    Server server(
        [&](const std::string&) { return answer("200 OK", "Content-Encoding: gzip\r\n", gzip); });
    Client client({});
    const ClientResponse decoded = client.send({.url = server.url(), .accept_encoding = "gzip"});
    CHECK(decoded.body == plain);
    CHECK(decoded.wire_bytes == static_cast<std::int64_t>(gzip.size()));
    CHECK(field(server.requests().at(0), "Accept-Encoding") == "gzip");
    CHECK(client.send({.url = server.url()}).body == gzip);
    Client small({.max_bytes = 9'999});
    CHECK(trouble_with(small, {.url = server.url(), .accept_encoding = "gzip"}) ==
          FailureKind::too_large);
}

TEST_CASE("a body that is not encoded as declared is an error") {
    Server server([](const std::string&) {
        return answer("200 OK", "Content-Encoding: gzip\r\n", "<plain/>");
    });
    Client client({});
    CHECK(trouble_with(client, {.url = server.url(), .accept_encoding = "gzip"}) ==
          FailureKind::answer);
}

TEST_CASE("follows redirects to http only, and at most max_redirects") {
    std::string first = "/b";
    Server server([&](const std::string& request) {
        if (request.starts_with("GET /a "))
            return answer("302 Found", "X-Old: 1\r\nLocation: " + first + "\r\n", "gone");
        return answer("200 OK", "X-New: 1\r\n", "here");
    });
    Client client({});
    const ClientResponse got = client.send({.url = server.url("/a")});
    CHECK(got.body == "here");
    CHECK(got.url == server.url("/b"));
    CHECK(got.headers.find("x-new"));
    CHECK_FALSE(got.headers.find("x-old"));
    Client still({.max_redirects = 0});
    CHECK(still.send({.url = server.url("/a")}).headers.find("location") == "/b");
    for (const char* bad : {"file:///etc/passwd", "ftp://127.0.0.1/x", "/a"}) {
        first = bad;
        CHECK(trouble_with(client, {.url = server.url("/a")}) == FailureKind::redirects);
    }
}

TEST_CASE("refuses protocols other than http and https") {
    Client client({});
    for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "",
                            "http://", "http://a b/"})
        CHECK(trouble_with(client, {.url = url}) == FailureKind::address);
    ClientRequest request{.url = "http://127.0.0.1/"};
    request.headers.add("X", "1\r\nHost: other");
    CHECK(trouble_with(client, request) == FailureKind::address);
    CHECK(trouble_with(client, {.url = "http://127.0.0.1/", .method = "DELETE"}) ==
          FailureKind::address);
}

TEST_CASE("failures of a transfer have kinds") {
    Client client({.timeout = 5min, .max_bytes = 100});
    int port_of_nobody = 0;
    {
        Server gone([](const std::string&) { return ""; });
        CHECK(trouble_with(client, {.url = gone.url()}) == FailureKind::connection);
        port_of_nobody = std::stoi(gone.url().substr(17));
    }
    CHECK(trouble_with(client, {.url = "http://127.0.0.1:" + std::to_string(port_of_nobody)}) ==
          FailureKind::connection);
    Server cut(
        [](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort"; });
    CHECK(trouble_with(client, {.url = cut.url()}) == FailureKind::connection);
    Server other([](const std::string&) { return "220 mail.example.org ESMTP\r\n"; });
    CHECK(trouble_with(client, {.url = other.url()}) == FailureKind::answer);
    Server large([](const std::string&) { return answer("200 OK", "", std::string(101, 'x')); });
    CHECK(trouble_with(client, {.url = large.url()}) == FailureKind::too_large);
    Server endless([](const std::string&) {
        std::string all = "HTTP/1.1 200 OK\r\n";
        while (all.size() < 280'000) all += "X-Padding: " + std::string(1'000, 'x') + "\r\n";
        return all;
    });
    CHECK(trouble_with(client, {.url = endless.url()}) == FailureKind::answer);
    std::atomic<bool> is_given_up{false};
    Server slow([&](const std::string&) {
        wait_until([&] { return is_given_up.load(); });
        return answer("200 OK", "", "late");
    });
    Client hasty({.timeout = 500ms});
    CHECK(trouble_with(hasty, {.url = slow.url()}) == FailureKind::timeout);
    is_given_up = true;
}

TEST_CASE("a receiver gets the body of a 2xx response, and may stop it") {
    const std::string body(300'000, 'x');
    Server server([&](const std::string& request) {
        if (request.starts_with("GET /bad "))
            return answer("503 Busy", "Retry-After: 7\r\n", std::string(100'000, 'b'));
        return answer("200 OK", "Content-Type: text/xml\r\n",
                      request.starts_with("GET /empty ") ? "" : body);
    });
    Client client({});
    std::string got, type;
    int begun = 0;
    const BodyReceiver all{.begin =
                               [&](const ClientResponse& head) {
                                   ++begun, type = head.headers.find("content-type").value_or("?");
                               },
                           .take = [&](std::string_view piece) { return got += piece, true; }};
    const ClientResponse whole = client.send({.url = server.url()}, all);
    CHECK(got == body);
    CHECK(whole.body.empty());
    CHECK(begun == 1);
    CHECK(type == "text/xml");
    client.send({.url = server.url("/empty")}, all);
    CHECK(begun == 2);
    const ClientResponse busy = client.send({.url = server.url("/bad")}, all);
    CHECK(begun == 2);
    CHECK(got == body);
    CHECK(busy.status == 503);
    CHECK(busy.retry_after == 7s);
    CHECK(busy.body.size() == 65'536);
    const ClientResponse stopped =
        client.send({.url = server.url()}, {.take = [](std::string_view) { return false; }});
    CHECK(stopped.stopped);
    CHECK(stopped.status == 200);
    CHECK(client.send({.url = server.url("/empty")}).status == 200);
}

TEST_CASE("an exception of a receiver reaches the caller") {
    Server server([](const std::string&) { return answer("200 OK", "", "x"); });
    Client client({});
    CHECK_THROWS_AS(client.send({.url = server.url()}, {.take = [](std::string_view) -> bool {
                                    throw std::logic_error("stop");
                                }}),
                    std::logic_error);
}

TEST_CASE("reads Retry-After as seconds or a date by the server's clock") {
    std::string header;
    Server server([&](const std::string&) {
        return answer("503 Busy", "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" + header, "");
    });
    Client client({});
    const auto wait = [&](const std::string& value) {
        header = value.empty() ? "" : "Retry-After: " + value + "\r\n";
        return client.send({.url = server.url()}).retry_after;
    };
    CHECK(wait("120") == 120s);
    CHECK(wait("Sun, 06 Nov 1994 08:50:37 GMT") == 60s);
    CHECK(wait("Sun, 06 Nov 1994 08:00:00 GMT") == 0s);
    CHECK(wait("-5") == 0s);
    CHECK_FALSE(wait("soon"));
    CHECK_FALSE(wait(""));
}

TEST_CASE("escapes query values") {
    CHECK(escape_query_value("a b&c=ž/~") == "a%20b%26c%3D%C5%BE%2F~");
    CHECK(escape_query_value("").empty());
}

TEST_CASE("a redirect from elsewhere to a private address is refused, unless that is allowed") {
    Server inside([](const std::string&) { return answer("200 OK", "", "secret"); });
    Server outside(
        [&](const std::string&) {
            return answer("302 Found", "Location: " + inside.url("/x") + "\r\n", "");
        },
        "127.0.0.2");
    const Strings ranges{"127.0.0.1"};  // as if the other one were elsewhere
    Client client({.private_ranges = ranges});
    CHECK(trouble_with(client, {.url = outside.url("/")}) == FailureKind::redirects);
    for (const std::string& request : inside.requests()) CHECK(request.empty());  // it may connect
    CHECK(client.send({.url = inside.url("/")}).body == "secret");                // itself is there
    // A connection that is kept makes no difference.
    CHECK(trouble_with(client, {.url = outside.url("/")}) == FailureKind::redirects);
    Client trusting({.private_ranges = ranges, .allow_private = true});
    CHECK(trusting.send({.url = outside.url("/")}).body == "secret");
    CHECK(Client({}).send({.url = outside.url("/")}).body == "secret");  // both are private
}
