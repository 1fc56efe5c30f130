// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "datestamp.h"
#include "load_support.h"
#include "recover/stored.h"

using namespace oai;
using namespace oai::recover;

namespace {

Stored stored(const std::string& bytes) {
    load::Input input = load::Input::of_bytes(bytes);
    return read_stored(input);
}

std::string warc(const std::string& fields, const std::string& block) {
    return "WARC/1.0\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2015-03-01T12:00:00Z\r\n" + fields +
           "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
}

const std::string kHttp = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n";

}  // namespace

TEST_CASE("recover: a WARC record and what it says") {
    const Stored s = stored(
        warc("WARC-Type: response\r\nContent-Type: application/http\r\nWARC-Payload-Digest: sha1:ABC\r\n",
             kHttp + "body"));
    CHECK(s.kind == Stored::Kind::response);
    CHECK(s.url == "http://a.example/");
    CHECK(print_datestamp(s.time) == "2015-03-01T12:00:00Z");
    CHECK(s.http_header() == kHttp);
    CHECK(s.body() == "body");
    CHECK(s.status == 200);
    CHECK(s.media_type == "text/html");
    CHECK(s.digest == "ABC");
    CHECK(s.header.ends_with("Content-Length: " + std::to_string(kHttp.size() + 4) + "\r\n"));
}

TEST_CASE("recover: a resource is its block, a revisit says what it repeats") {
    const Stored resource =
        stored(warc("WARC-Type: resource\r\nContent-Type: image/png\r\nWARC-Block-Digest: md5:1\r\n", "png"));
    CHECK(resource.kind == Stored::Kind::resource);
    CHECK(resource.body() == "png");
    CHECK(resource.media_type == "image/png");
    CHECK(resource.digest == "md5:1");
    CHECK(resource.status == 0);
    const Stored revisit =
        stored(warc("WARC-Type: revisit\r\nContent-Type: application/http\r\nWARC-Refers-To-Target-URI: "
                    "http://b.example/\r\n"
                    "WARC-Refers-To-Date: 2014-01-01T00:00:00Z\r\n",
                    "HTTP/1.1 304 Not Modified\r\n"));
    CHECK(revisit.kind == Stored::Kind::revisit);
    CHECK(revisit.refers_to == "http://b.example/");
    CHECK(print_datestamp(*revisit.refers_to_time) == "2014-01-01T00:00:00Z");
    CHECK(revisit.body().empty());
}

TEST_CASE("recover: an ARC record, with HTTP or without") {
    const Stored s = stored(
        "http://a.example/ 192.0.2.1 20040101000000 text/plain 28\nHTTP/1.0 404 Not "
        "Found\n\nbody\nhttp://next");
    CHECK(s.status == 404);
    CHECK(s.body() == "body");
    CHECK(s.header.empty());
    const Stored old = stored("http://a.example/ 192.0.2.1 20040101000000 text/plain 4\nbody\n");
    CHECK(old.status == 0);
    CHECK(old.media_type == "text/plain");
    CHECK(old.body() == "body");
}

TEST_CASE("recover: what is cut short is told from what is damaged") {
    const std::string record =
        warc("WARC-Type: response\r\nContent-Type: application/http\r\n", kHttp + std::string(5000, 'x'));
    const std::string gzip = load::test::gzip(record);
    CHECK(stored(gzip).body().size() == 5000);
    for (const std::string& whole : {record, gzip})
        for (std::size_t n = 20; n + 20 < whole.size(); n += 97)
            CHECK_THROWS_AS(stored(whole.substr(0, n)), CutShort);
    std::string damaged = gzip;
    for (std::size_t i = gzip.size() / 2; i < gzip.size() / 2 + 20; ++i)
        damaged[i] = static_cast<char>(~damaged[i]);
    CHECK_THROWS_AS(stored(damaged), std::runtime_error);
}

TEST_CASE("recover: what holds no document is refused in words") {
    CHECK_THROWS_WITH(stored(warc("WARC-Type: request\r\n", "GET / HTTP/1.1\r\n\r\n")),
                      Catch::Matchers::Contains("type request"));
    CHECK_THROWS_AS(stored("rubbish\nmore rubbish\n"), std::runtime_error);
    CHECK_THROWS_AS(stored(""), std::runtime_error);
    CHECK_THROWS_WITH(stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999999999\r\n\r\n"),
                      Catch::Matchers::Contains("larger than"));
    CHECK_THROWS_AS(stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\n"),
                    std::runtime_error);
}
