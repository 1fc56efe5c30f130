// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "t/unit/tools/http_client/server.h"
#include "tools/static_repository/gateway.h"

using namespace oai::static_repository;
using oai::http::test::answer;
using oai::http::test::field;
using oai::http::test::Server;

namespace {

std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

const Download::Wait kNoWait = [](std::chrono::seconds, const std::string&) {};

}  // namespace

TEST_CASE("a static repository is text/xml in UTF-8") {
    for (const char* type :
         {"text/xml", "application/xml", "Text/XML; charset=UTF-8", "text/xml;charset=\"utf-8\"",
          "text/xml; charset=us-ascii", "text/xml; profile=x"})
        CHECK(content_type_fault(type).empty());
    CHECK(content_type_fault("text/html; charset=utf-8") ==
          "its server says that it is text/html, and a static repository is text/xml");
    CHECK(content_type_fault("") ==
          "its server says that it is , and a static repository is text/xml");
}

TEST_CASE("a charset of the media type and the encoding of the file must agree") {
    CHECK(charset_fault("text/xml", "ISO-8859-1").empty());
    CHECK(charset_fault("text/xml; charset=us-ascii", "UTF-8").empty());
    CHECK(charset_fault("Text/XML; charset=UTF-8", "utf-8").empty());
    CHECK(charset_fault("text/xml;charset=\"utf-8\"", "UTF-8").empty());
    CHECK(charset_fault("text/xml; charset=iso-8859-1", "ISO-8859-1").empty());
    CHECK(charset_fault("text/xml; charset=ISO-8859-1", "UTF-8") ==
          "its server says that it is in iso-8859-1, and the file UTF-8");
    CHECK(charset_fault("text/xml; profile=x; charset=utf-8", "ISO-8859-2") ==
          "its server says that it is in utf-8, and the file ISO-8859-2");
}

TEST_CASE("the validators of an answer are sent with the next request") {
    Server server([](const std::string& request) {
        const std::string known =
            "ETag: \"v1\"\r\nLast-Modified: Sun, 01 Feb 2004 10:00:00 GMT\r\n";
        if (field(request, "If-None-Match") == "\"v1\"")
            return answer("304 Not Modified", known, "");
        return answer("200 OK", known + "Content-Type: text/xml\r\n", "<r/>");
    });
    Download download;
    const RetrievalResult first = download.fetch(server.url("/r.xml"), {}, kNoWait);
    CHECK(first.status == 200);
    CHECK(first.content_type == "text/xml");
    CHECK(content(download.path()) == "<r/>");
    CHECK(first.validators.etag == "\"v1\"");
    const RetrievalResult again = download.fetch(server.url("/r.xml"), first.validators, kNoWait);
    CHECK(again.status == 304);
    REQUIRE(server.requests().size() == 2);
    CHECK(field(server.requests()[0], "If-None-Match").empty());
    CHECK(field(server.requests()[0], "If-Modified-Since").empty());
    CHECK(field(server.requests()[1], "If-Modified-Since") == "Sun, 01 Feb 2004 10:00:00 GMT");
}

TEST_CASE("validators that could not be sent back are not stored") {
    Server server([](const std::string& request) {
        const bool wild = request.find("/wild") != request.npos;
        return answer(
            "200 OK",
            wild ? "ETag: \"\xE9\"\r\nLast-Modified: " + std::string(1001, 'x') + "\r\n" : "", "");
    });
    for (const char* path : {"/wild", "/silent"}) {
        Download download;
        const RetrievalResult retrieved = download.fetch(server.url(path), {}, kNoWait);
        CHECK(retrieved.validators.empty());
        CHECK_FALSE(retrieved.content_type);
    }
}

TEST_CASE("a busy server is tried again, and the file is removed with the download") {
    int asked = 0;
    Server server([&](const std::string&) {
        return ++asked == 1 ? answer("503 Busy", "Retry-After: 1\r\n", "later")
                            : answer("200 OK", "", "now");
    });
    std::string path;
    {
        Download download;
        path = download.path();
        CHECK(download.fetch(server.url(), {}, kNoWait).status == 200);
        CHECK(content(path) == "now");
    }
    CHECK(asked == 2);
    CHECK_FALSE(std::filesystem::exists(path));
}
