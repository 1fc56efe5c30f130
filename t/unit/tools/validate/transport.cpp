// SPDX-License-Identifier: MIT
// Responses as they follow each other on a connection.
#include <catch2/catch.hpp>

#include "tools/validate/answer.h"

using namespace oai::validate;

namespace {

// The bodies that are taken, each in brackets, and what is left.
std::string taken(std::string_view bytes, bool to_head = false) {
    std::string out;
    while (const auto reply = take_reply(bytes, to_head))
        out += "[" + std::to_string(reply->status) + " " + reply->body + "]";
    return out + std::string(bytes);
}

}  // namespace

TEST_CASE("raw replies: a body has its length, or goes to the end") {
    CHECK(taken("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.0 404 No\n\nrest") ==
          "[200 abc][404 rest]");
    CHECK(taken("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab").ends_with("ab"));
    CHECK(taken("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nab").starts_with("HTTP"));
    CHECK(taken("HTTP/1.1 200 OK\r\nX: y\r\n").starts_with("HTTP"));
    CHECK(taken("<html>") == "<html>");
    CHECK(taken("HTTP/1.1 2").starts_with("HTTP"));
}

TEST_CASE("raw replies: chunks are put together, the trailer is passed over") {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";
    CHECK(taken(head + "2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\nrest") ==
          "[200 ab0123456789]rest");
    for (const char* broken : {"2\r\nab", "2\r\nabc\r\n0\r\n\r\n", "x\r\n", "", "0\r\n",
                               "ffffffffffffffffff\r\n", "5\r\nab\r\n"})
        CHECK(taken(head + broken) == head + broken);
}

TEST_CASE("raw replies: an answer to HEAD has no body, and 1xx is no answer") {
    CHECK(taken("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", true) == "[200 ]");
    CHECK(taken("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", true) == "[200 ]abc");
    CHECK(taken("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\n\r\n") == "[204 ]");
}
