// SPDX-License-Identifier: MIT
#include "fcgi/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <limits>

namespace oai::fcgi {
namespace {

constexpr std::size_t kMaxBytesAtOnce = std::numeric_limits<int>::max();

}  // namespace

// libfcgi is meant to accept connections itself, but then it loses some when the server stops. It
// takes one that is open already if that looks like the second request on a kept connection, hence
// ipcFd and keepConnection. detached: an incomplete request is closed at once, without waiting two
// seconds for the peer to close it.
Connection::Connection(Fd fd) {
    FCGX_InitRequest(&request_, -1, 0);
    request_.ipcFd = fd.release();
    request_.keepConnection = 1;
    request_.detached = 1;
}

// The wait for the peer's close is needed only where unread input would turn our close into a
// reset.
Connection::~Connection() {
    const bool input_failed = request_.in != nullptr && FCGX_GetError(request_.in) != 0;
    request_.keepConnection = 0;
    request_.detached = input_failed ? 0 : 1;
    FCGX_Finish_r(&request_);
}

// When the request is not whole, libfcgi closes the connection and tries to accept another one from
// socket -1.
bool Connection::receive() { return FCGX_Accept_r(&request_) == 0; }

std::string_view Connection::variable(std::string_view name) const {
    std::string_view value;
    for (char** entry = request_.envp; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name))
            value = text.substr(name.size() + 1);
    }
    return value;
}

std::string Connection::read_body(std::size_t bytes) {
    std::string body(std::min(bytes, kMaxBytesAtOnce), '\0');
    const int bytes_read = FCGX_GetStr(body.data(), static_cast<int>(body.size()), request_.in);
    body.resize(static_cast<std::size_t>(std::max(bytes_read, 0)));
    return body;
}

bool Connection::drain() {
    std::array<char, 8192> unread;
    while (FCGX_GetStr(unread.data(), static_cast<int>(unread.size()), request_.in) > 0) continue;
    return FCGX_GetError(request_.in) == 0;
}

// Small writes succeed although the peer has closed the connection; the error shows only after the
// flush. The connection of a failed response is shut down, since libfcgi would otherwise write the
// end of the response, as if it were whole, to a peer that reads again.
bool Connection::send(std::initializer_list<std::string_view> pieces) {
    for (std::string_view text : pieces) {
        while (!text.empty() && FCGX_GetError(request_.out) == 0) {
            const std::string_view part = text.substr(0, kMaxBytesAtOnce);
            FCGX_PutStr(part.data(), static_cast<int>(part.size()), request_.out);
            text.remove_prefix(part.size());
        }
    }
    FCGX_FFlush(request_.out);
    if (FCGX_GetError(request_.out) == 0) return true;
    ::shutdown(request_.ipcFd, SHUT_RDWR);
    return false;
}

}  // namespace oai::fcgi
