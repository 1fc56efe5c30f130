// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "http_server.h"
#include "load_support.h"
#include "recover/archive.h"

using namespace oai;
using namespace oai::recover;
using oai::http::test::answer;
using oai::http::test::field;
using oai::http::test::Server;

namespace {

std::string record(const std::string& path, const std::string& body) {
    const std::string block = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body;
    return load::test::gzip(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example" + path +
        "\r\nWARC-Date: 2015-03-01T12:00:00Z\r\nContent-Type: application/http\r\nContent-Length: " +
        std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n");
}

std::string noise(std::size_t n) {
    std::string out;
    unsigned x = 1;
    while (out.size() < n) out += static_cast<char>((x = x * 1103515245u + 12345u) >> 16);
    return out;
}

// A server of files that minds ranges, if it is asked to.
std::string served(const std::string& request, const std::string& file, bool minds) {
    const std::string range = field(request, "Range");
    if (!minds || range.empty()) return answer("200 OK", "", file);
    const auto first = std::stoul(range.substr(6)), last = std::stoul(range.substr(range.find('-') + 1));
    if (first >= file.size()) return answer("416 Range Not Satisfiable", "", "");
    return answer("206 Partial Content", "Content-Range: bytes " + std::to_string(first) + "-x\r\n",
                  file.substr(first, last - first + 1));
}

load::Capture capture(std::int64_t offset, std::optional<std::int64_t> length) {
    load::Capture c;
    c.file = "crawls/2015/x.warc.gz";
    c.offset = offset;
    c.length = length;
    return c;
}

struct Fetcher {
    http::Client client{{}};
    http::Retry retry{client, {.attempts = 2}, [this](std::chrono::seconds, const std::string&) { ++waits; }};
    int waits = 0;
};

}  // namespace

TEST_CASE("recover: names without directories") {
    CHECK(base_name("a/b/c.warc") == "c.warc");
    CHECK(base_name("c.warc") == "c.warc");
    for (const char* bad : {"", "a/", "..", "a/..", "."}) CHECK(base_name(bad).empty());
}

TEST_CASE("recover: a record by its range, with its length or without") {
    const std::string first = record("/1", "one"), large = record("/2", noise(300'000)),
                      file = first + large + record("/3", "three");
    for (const bool minds : {true, false}) {
        Server server([&](const std::string& request) { return served(request, file, minds); });
        Fetcher fetcher;
        Archive archive(server.url("/files"), fetcher.retry);
        const auto at = static_cast<std::int64_t>(first.size()),
                   length = static_cast<std::int64_t>(large.size());
        CHECK(archive.read(capture(0, first.size())).url == "http://a.example/1");
        CHECK(archive.read(capture(at, length)).body() == noise(300'000));
        CHECK(archive.read(capture(at, std::nullopt)).body() == noise(300'000));
        CHECK(archive.read(capture(at + length, std::nullopt)).body() == "three");
        CHECK_THROWS_AS(archive.read(capture(at, length / 2)), std::runtime_error);
        CHECK_THROWS_AS(archive.read(capture(at + 1, length)), std::runtime_error);
        CHECK_THROWS_AS(archive.read(capture(9'000'000, 5)), std::runtime_error);
        CHECK(server.requests().at(0).starts_with("GET /files/x.warc.gz "));
        CHECK(fetcher.waits == 0);
    }
}

TEST_CASE("recover: another range than the one that was asked for is refused") {
    const std::string file = record("/1", "one");
    Server server([&](const std::string&) {
        return answer("206 Partial Content", "Content-Range: bytes 0-9/10\r\n", file);
    });
    Fetcher fetcher;
    Archive archive(server.url(), fetcher.retry);
    CHECK_THROWS_WITH(archive.read(capture(7, file.size())), Catch::Matchers::Contains("another range"));
}

TEST_CASE("recover: a file that is not there is asked for once, a server that is gone ends it") {
    Server server([](const std::string&) { return answer("404 Not Found", "", ""); });
    Fetcher fetcher;
    Archive archive(server.url(), fetcher.retry);
    CHECK_THROWS_AS(archive.read(capture(0, 9)), std::runtime_error);
    CHECK_THROWS_AS(archive.read(capture(9, 9)), std::runtime_error);
    CHECK(server.requests().size() == 1);
    Server busy([](const std::string&) { return answer("503 Busy", "", ""); });
    Archive none(busy.url(), fetcher.retry);
    CHECK_THROWS_AS(none.read(capture(0, 9)), Unreachable);
    CHECK(fetcher.waits == 1);
    Server gone([](const std::string&) { return ""; });
    Archive nobody(gone.url(), fetcher.retry);
    CHECK_THROWS_AS(nobody.read(capture(0, 9)), Unreachable);
}
