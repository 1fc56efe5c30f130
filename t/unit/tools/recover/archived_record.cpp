// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "protocol/record.h"
#include "t/unit/tools/load/support.h"
#include "tools/recover/archive.h"

using namespace oai;
using namespace oai::recover;

namespace {

ArchivedRecord stored(const std::string& bytes) {
    load::Input input = load::Input::of_bytes(bytes);
    return read_archived_record(input);
}

std::string warc(const std::string& fields, const std::string& block) {
    return "WARC/1.0\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2015-03-01T12:00:00Z\r\n" +
           fields + "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block +
           "\r\n\r\n";
}

const std::string kHttp = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n";

}  // namespace

TEST_CASE("recover: reads a WARC record") {
    const ArchivedRecord s =
        stored(warc("WARC-Type: response\r\nContent-Type: application/http\r\nWARC-Payload-Digest: "
                    "sha1:ABC\r\n",
                    kHttp + "body"));
    CHECK(s.kind == ArchivedRecord::Kind::response);
    CHECK(s.url == "http://a.example/");
    CHECK(print_datestamp(s.time) == "2015-03-01T12:00:00Z");
    CHECK(s.http_header() == kHttp);
    CHECK(s.body() == "body");
    CHECK(s.status == 200);
    CHECK(s.media_type == "text/html");
    CHECK(s.digest == "ABC");
    CHECK(s.header.ends_with("Content-Length: " + std::to_string(kHttp.size() + 4) + "\r\n"));
}

TEST_CASE("recover: reads a resource and a revisit") {
    const ArchivedRecord resource = stored(warc(
        "WARC-Type: resource\r\nContent-Type: image/png\r\nWARC-Block-Digest: md5:1\r\n", "png"));
    CHECK(resource.kind == ArchivedRecord::Kind::resource);
    CHECK(resource.body() == "png");
    CHECK(resource.media_type == "image/png");
    CHECK(resource.digest == "md5:1");
    CHECK(resource.status == 0);
    const ArchivedRecord revisit = stored(
        warc("WARC-Type: revisit\r\nContent-Type: application/http\r\nWARC-Refers-To-Target-URI: "
             "http://b.example/\r\n"
             "WARC-Refers-To-Date: 2014-01-01T00:00:00Z\r\n",
             "HTTP/1.1 304 Not Modified\r\n"));
    CHECK(revisit.kind == ArchivedRecord::Kind::revisit);
    CHECK(revisit.refers_to == "http://b.example/");
    CHECK(print_datestamp(*revisit.refers_to_time) == "2014-01-01T00:00:00Z");
    CHECK(revisit.body().empty());
}

TEST_CASE("recover: reads an ARC record, with HTTP or without") {
    const ArchivedRecord s = stored(
        "http://a.example/ 192.0.2.1 20040101000000 text/plain 28\nHTTP/1.0 404 Not "
        "Found\n\nbody\nhttp://next");
    CHECK(s.status == 404);
    CHECK(s.body() == "body");
    CHECK(s.header.empty());
    const ArchivedRecord old =
        stored("http://a.example/ 192.0.2.1 20040101000000 text/plain 4\nbody\n");
    CHECK(old.status == 0);
    CHECK(old.media_type == "text/plain");
    CHECK(old.body() == "body");
}

TEST_CASE("recover: distinguishes truncated records from damaged ones") {
    const std::string record = warc("WARC-Type: response\r\nContent-Type: application/http\r\n",
                                    kHttp + std::string(5000, 'x'));
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

TEST_CASE("recover: refuses records without a document, with a message") {
    CHECK_THROWS_WITH(stored(warc("WARC-Type: request\r\n", "GET / HTTP/1.1\r\n\r\n")),
                      Catch::Matchers::Contains("type request"));
    CHECK_THROWS_AS(stored("rubbish\nmore rubbish\n"), std::runtime_error);
    CHECK_THROWS_AS(stored(""), std::runtime_error);
    CHECK_THROWS_WITH(
        stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999999999\r\n\r\n"),
        Catch::Matchers::Contains("larger than"));
    CHECK_THROWS_AS(stored("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\n"),
                    std::runtime_error);
}
