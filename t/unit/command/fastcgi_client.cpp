// SPDX-License-Identifier: MIT
#include "command/fastcgi_client.h"

#include "t/lib/unit_headers.h"

using namespace oai::command;

namespace {

std::string record(char type, const std::string& content, char padding) {
    std::string out{1,
                    type,
                    0,
                    1,
                    static_cast<char>(content.size() >> 8),
                    static_cast<char>(content.size() & 0xFF),
                    padding,
                    0};
    return out + content + std::string(static_cast<std::size_t>(padding), 'p');
}

}  // namespace

TEST_CASE("fastcgi client: a request is sent as FastCGI records") {
    const std::string request = fastcgi_request("/oai/-/status");
    CHECK(request.substr(0, 16) == std::string("\1\1\0\1\0\10\0\0"
                                               "\0\1\0\0\0\0\0\0",
                                               16));
    CHECK_THAT(request, Contains(std::string("\x0B\x0DREQUEST_URI/oai/-/status", 26)));
    CHECK(request.substr(request.size() - 16) == std::string("\1\4\0\1\0\0\0\0"
                                                             "\1\5\0\1\0\0\0\0",
                                                             16));
    const std::string far = "/" + std::string(300, 'x');
    CHECK_THAT(fastcgi_request(far), Contains(std::string("\x0B\x80\0\x01\x2DREQUEST_URI/", 17)));
}

TEST_CASE("fastcgi client: the output is the content of stdout records without padding") {
    CHECK(fastcgi_output(record(6, "ab", 6) + record(7, "error", 0) +
                         record(6, std::string(300, 'c'), 0) + record(3, "12345678", 0)) ==
          "ab" + std::string(300, 'c'));
    CHECK(fastcgi_output("") == "");
    const std::string cut = record(6, "abcdef", 2);
    CHECK(fastcgi_output(cut.substr(0, 7)) == "");
    CHECK(fastcgi_output(cut.substr(0, 11)) == "abc");
}

TEST_CASE("fastcgi client: an error names the socket") {
    CHECK_THROWS_WITH(get_by_fastcgi("/nonexistent/socket", "/"),
                      Contains("/nonexistent/socket: No such file"));
    CHECK_THROWS_WITH(get_by_fastcgi(std::string(200, 's'), "/"), Contains("107 bytes"));
}
