// SPDX-License-Identifier: MIT
#include "command/fastcgi_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/fd.h"

namespace oai::command {
namespace {

enum RecordType : unsigned char { kBegin = 1, kParams = 4, kStdin = 5, kStdout = 6 };

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kMaxBytes = 64'000'000;

char byte(std::size_t n) { return static_cast<char>(static_cast<unsigned char>(n & 0xFF)); }

// REQUIRES: content of less than 65,536 bytes.
std::string record(RecordType type, std::string_view content) {
    std::string out{
        1, static_cast<char>(type), 0, 1, byte(content.size() >> 8), byte(content.size()), 0, 0};
    return out.append(content);
}

std::string length(std::size_t n) {
    if (n < 128) return {byte(n)};
    return {byte(n >> 24 | 0x80), byte(n >> 16), byte(n >> 8), byte(n)};
}

[[noreturn]] void fail(const std::string& socket, const std::string& why) {
    throw std::runtime_error(socket + ": " + why);
}

Fd connect_to(const std::string& path, int timeout_seconds) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        fail(path, "the path of a socket has at most 107 bytes");
    path.copy(address.sun_path, path.size());
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd.get() < 0) fail(path, std::strerror(errno));
    const timeval timeout{.tv_sec = timeout_seconds, .tv_usec = 0};
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(fd.get(), SOL_SOCKET, option, &timeout, sizeof timeout);
    const auto* generic = static_cast<const sockaddr*>(static_cast<const void*>(&address));
    if (::connect(fd.get(), generic, sizeof address) != 0) fail(path, std::strerror(errno));
    return fd;
}

void send_all(int fd, std::string_view bytes, const std::string& socket) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR) fail(socket, std::strerror(errno));
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string read_all(int fd, const std::string& socket) {
    std::string out;
    std::array<char, 65'536> part;
    for (;;) {
        const ssize_t n = ::recv(fd, part.data(), part.size(), 0);
        if (n == 0) return out;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(socket, errno == EAGAIN ? "no answer" : std::strerror(errno));
        out.append(part.data(), static_cast<std::size_t>(n));
        if (out.size() > kMaxBytes) fail(socket, "an answer without end");
    }
}

}  // namespace

std::string fastcgi_request(std::string_view uri) {
    constexpr std::string_view kResponder("\0\1\0\0\0\0\0\0", 8);
    const std::string_view query = uri.substr(std::min(uri.size(), uri.find('?')));
    std::string variables;
    for (const auto& [name, value] :
         {std::pair<std::string_view, std::string_view>{"REQUEST_METHOD", "GET"},
          {"REQUEST_URI", uri},
          {"QUERY_STRING", query.empty() ? query : query.substr(1)},
          {"REMOTE_ADDR", "127.0.0.1"},
          {"HTTP_USER_AGENT", "oai status"}})
        (variables += length(name.size()) + length(value.size())).append(name).append(value);
    return record(kBegin, kResponder) + record(kParams, variables) + record(kParams, "") +
           record(kStdin, "");
}

std::string fastcgi_output(std::string_view records) {
    const auto at = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(records[i]));
    };
    std::string out;
    while (records.size() >= kHeaderBytes) {
        const std::size_t content = at(4) << 8 | at(5);
        const std::size_t whole = kHeaderBytes + content + at(6);
        if (at(1) == kStdout) out += records.substr(kHeaderBytes, content);
        records.remove_prefix(std::min(whole, records.size()));
    }
    return out;
}

std::string get_with_header_by_fastcgi(const std::string& socket, std::string_view uri,
                                       int timeout_seconds) {
    const Fd fd = connect_to(socket, timeout_seconds);
    send_all(fd.get(), fastcgi_request(uri), socket);
    return fastcgi_output(read_all(fd.get(), socket));
}

std::string get_by_fastcgi(const std::string& socket, std::string_view uri, int timeout_seconds) {
    const std::string answer = get_with_header_by_fastcgi(socket, uri, timeout_seconds);
    const std::size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) fail(socket, "no complete answer");
    return answer.substr(head + 4);
}

}  // namespace oai::command
