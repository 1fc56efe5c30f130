// SPDX-License-Identifier: MIT
// fcgi/connection.cpp relies on members of FCGX_Request that fcgiapp.h tells users not to use:
// ipcFd, keepConnection and detached; and on libfcgi's reading a file as it reads a socket. With a
// libfcgi that treats them differently this test fails, before a server does.
#include <fcgiapp.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <type_traits>

#include "fcgi/request_reader.h"
#include "t/lib/unit_headers.h"

namespace {

static_assert(std::is_same_v<decltype(FCGX_Request::ipcFd), int>);
static_assert(std::is_same_v<decltype(FCGX_Request::keepConnection), int>);
static_assert(std::is_same_v<decltype(FCGX_Request::detached), int>);

using oai::fcgi::RequestRecords;

enum Type : char { kBegin = 1, kAbort = 2, kParams = 4, kStdin = 5 };

std::string record(Type type, const std::string& content, std::size_t padding = 0, char id = 1) {
    const char high = static_cast<char>(content.size() >> 8),
               low = static_cast<char>(content.size() & 0xff);
    return std::string{1, type, 0, id, high, low, static_cast<char>(padding), 0} + content +
           std::string(padding, '\7');
}

const std::string kResponder{0, 1, 0, 0, 0, 0, 0, 0};
const std::string kPair{1, 1, 'A', 'b'};

// A POST with one variable, A=b.
std::string whole_request(const std::string& body, std::size_t padding = 0) {
    return record(kBegin, kResponder, padding) + record(kParams, kPair, padding) +
           record(kParams, "", padding) + (body.empty() ? "" : record(kStdin, body, padding)) +
           record(kStdin, "", padding);
}

std::string_view why_of(const std::string& bytes) { return RequestRecords(100).add(bytes); }

}  // namespace

TEST_CASE("libfcgi reads a request from a file, and closes that") {
    FCGX_Init();
    FCGX_Request request{};
    FCGX_InitRequest(&request, -1, 0);
    request.ipcFd = ::memfd_create("request", MFD_CLOEXEC);
    const std::string bytes = whole_request("body");
    REQUIRE(::write(request.ipcFd, bytes.data(), bytes.size()) == std::ssize(bytes));
    ::lseek(request.ipcFd, 0, SEEK_SET);
    ::fcntl(request.ipcFd, F_SETFL, O_APPEND);
    request.keepConnection = request.detached = 1;
    const int file = request.ipcFd;
    REQUIRE(FCGX_Accept_r(&request) == 0);
    CHECK(request.ipcFd == file);
    CHECK(std::string(FCGX_GetParam("A", request.envp)) == "b");
    std::string body(10, '\0');
    CHECK(FCGX_GetStr(body.data(), 10, request.in) == 4);
    CHECK(FCGX_GetError(request.in) == 0);
    request.keepConnection = 0;
    FCGX_Finish_r(&request);
    CHECK(request.ipcFd == -1);
    CHECK(::fcntl(file, F_GETFD) == -1);
}

TEST_CASE("a request is read from pieces of any length, with padding of any length") {
    for (const std::size_t padding : {0, 1, 255}) {
        for (const std::size_t piece : {1, 7, 100'000}) {
            const std::string bytes = whole_request("body", padding);
            RequestRecords records(100);
            for (std::size_t at = 0; at < bytes.size(); at += piece) {
                CHECK_FALSE(records.is_complete());
                REQUIRE(records.add(std::string_view(bytes).substr(at, piece)).empty());
            }
            CHECK(records.is_complete());
            CHECK(records.id() == 1);
            CHECK(records.normalised() == whole_request("body"));
        }
    }
}

TEST_CASE("bytes of a body beyond the limit and records of other requests are discarded") {
    RequestRecords records(100);
    CHECK(records.add(record(kBegin, kResponder) + record(kParams, kPair) + record(kParams, ""))
              .empty());
    for (int i = 0; i < 100; ++i) {
        REQUIRE(records.add(record(kStdin, std::string(30'000, 'x'))).empty());
        REQUIRE(records.add(record(kStdin, std::string(30'000, 'y'), 0, 2)).empty());
    }
    CHECK(records.bytes() < 200);
    CHECK(records.add(record(kStdin, "")).empty());
    CHECK(records.normalised() == whole_request(std::string(100, 'x')));
}

TEST_CASE("invalid records are rejected with a reason") {
    const std::string begin = record(kBegin, kResponder);
    CHECK(why_of("GET / HTTP/1.0\r\n\r\n") == "another protocol");
    CHECK(why_of(record(kBegin, std::string(8, '\2'))) == "another role");
    CHECK(why_of(begin + begin) == "begun twice");
    CHECK(why_of(begin + record(kAbort, "")) == "aborted");
    CHECK(why_of(begin + record(kStdin, "")) == "records out of order");
    // Lengths whose sum is more than an int, at which libfcgi ends the process.
    for (const std::string& pair : {std::string("\xff\xff\xff\xff\xff\xff\xff\xff"
                                                "ab"),
                                    std::string("\x01"), std::string("\x81\x00"),
                                    std::string("\x01\x02"
                                                "ab")})
        CHECK(why_of(begin + record(kParams, pair) + record(kParams, "")) ==
              "parameters that are cut off");
    RequestRecords large(100);
    CHECK(large.add(begin).empty());
    std::string_view why;
    int records = 0;
    for (; why.empty() && records < 1000; ++records)
        why = large.add(record(kParams, std::string(60'000, 'x')));
    CHECK(why == "too many bytes of parameters");
    CHECK(records == 18);
}
