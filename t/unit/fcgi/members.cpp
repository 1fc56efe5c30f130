// SPDX-License-Identifier: MIT
// fcgi/connection.cpp relies on members of FCGX_Request that fcgiapp.h tells users not to use:
// ipcFd, keepConnection and detached; and on one of its streams, wasFCloseCalled. With a libfcgi
// that treats them differently this test fails, before a server does.
#include <fcgiapp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <type_traits>

namespace {

static_assert(std::is_same_v<decltype(FCGX_Request::ipcFd), int>);
static_assert(std::is_same_v<decltype(FCGX_Request::keepConnection), int>);
static_assert(std::is_same_v<decltype(FCGX_Request::detached), int>);

enum Type : char { kBegin = 1, kParams = 4, kStdin = 5 };

std::string record(Type type, const std::string& content) {
    const char high = static_cast<char>(content.size() >> 8),
               low = static_cast<char>(content.size() & 0xff);
    return std::string{1, type, 0, 1, high, low, 0, 0} + content;
}

// A responder's GET with one variable, A=b; the web server asks for the connection to be closed at
// the end.
std::string whole_request() {
    return record(kBegin, std::string{0, 1, 0, 0, 0, 0, 0, 0}) +
           record(kParams, std::string{1, 1, 'A', 'b'}) + record(kParams, "") + record(kStdin, "");
}

struct Pair {
    Pair() {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()) == 0);
        FCGX_Init();
        FCGX_InitRequest(&request, -1, 0);
        request.ipcFd = fds[0];
        request.keepConnection = 1;
    }
    ~Pair() { ::close(fds[1]); }  // libfcgi has closed the other

    void send(const std::string& bytes) const {
        REQUIRE(::write(fds[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    // All up to the end of the stream.
    std::string receive() const {
        std::string all;
        std::array<char, 4096> part;
        for (ssize_t n; (n = ::read(fds[1], part.data(), part.size())) > 0;)
            all.append(part.data(), static_cast<std::size_t>(n));
        return all;
    }

    std::array<int, 2> fds{};
    FCGX_Request request{};
};

long voluntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

// Libfcgi's linger takes two seconds as long as the peer keeps its side open, which these do. A
// thread that has never waited has not lingered either, however long the machine took.
template <typename F>
bool at_once(F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    const long before = voluntary_switches();
    f();
    return voluntary_switches() == before ||
           std::chrono::steady_clock::now() - begin < std::chrono::seconds(1);
}

}  // namespace

TEST_CASE("libfcgi serves a connection that was accepted elsewhere") {
    Pair pair;
    pair.send(whole_request());
    REQUIRE(FCGX_Accept_r(&pair.request) == 0);
    CHECK(pair.request.ipcFd == pair.fds[0]);
    CHECK(std::string(FCGX_GetParam("A", pair.request.envp)) == "b");
    CHECK(FCGX_GetChar(pair.request.in) == -1);
    CHECK(FCGX_GetError(pair.request.in) == 0);
    CHECK(FCGX_PutStr("answer", 6, pair.request.out) == 6);

    pair.request.keepConnection = 0;
    pair.request.detached = 1;
    CHECK(at_once([&] { FCGX_Finish_r(&pair.request); }));
    CHECK(pair.request.ipcFd == -1);
    CHECK(pair.receive().find("answer") != std::string::npos);
}

TEST_CASE("libfcgi closes a connection that violates the protocol, and reports a failure") {
    Pair pair;
    pair.request.detached = 1;
    pair.send("GET / HTTP/1.0\r\n\r\n");
    CHECK(at_once([&] { CHECK(FCGX_Accept_r(&pair.request) < 0); }));
    CHECK(pair.request.ipcFd < 0);
    CHECK(pair.receive().empty());
    FCGX_Finish_r(
        &pair.request);  // as Connection's destructor does: there is nothing left to close
}

TEST_CASE("libfcgi keeps a connection open if keepConnection is set") {
    Pair pair;
    pair.send(whole_request());
    REQUIRE(FCGX_Accept_r(&pair.request) == 0);
    pair.request.keepConnection = 1;
    while (FCGX_GetChar(pair.request.in) != -1) continue;
    FCGX_Finish_r(&pair.request);
    CHECK(pair.request.ipcFd == pair.fds[0]);
    ::close(pair.fds[0]);
}

TEST_CASE("libfcgi writes no end of a request whose streams it takes for closed") {
    for (const bool is_closed : {false, true}) {
        Pair pair;
        pair.send(whole_request());
        REQUIRE(FCGX_Accept_r(&pair.request) == 0);
        while (FCGX_GetChar(pair.request.in) != -1) continue;
        if (is_closed) pair.request.out->wasFCloseCalled = pair.request.err->wasFCloseCalled = 1;
        pair.request.keepConnection = 0;
        pair.request.detached = 1;
        CHECK(at_once([&] { FCGX_Finish_r(&pair.request); }));
        CHECK(pair.request.ipcFd == -1);
        CHECK(pair.receive().empty() == is_closed);
    }
}
