// SPDX-License-Identifier: MIT
#include "fcgi/connection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace oai::fcgi {
namespace {

constexpr std::size_t kMaxBytesAtOnce = std::numeric_limits<int>::max();

// FastCGI 1.0, 3.3: version, type, request, length of the content and of the padding.
using RecordHeader = std::array<unsigned char, 8>;
constexpr unsigned char kVersion = 1, kEndRequest = 3, kStandardOutput = 6;
constexpr std::size_t kMaxContent = 65'528;  // a multiple of 8, as the standard recommends

// 5.5: the application's status 0 and FCGI_REQUEST_COMPLETE.
constexpr std::array<unsigned char, 8> kComplete{};

RecordHeader record_header(unsigned char type, int request, std::size_t length) {
    const auto byte = [](auto value, int shift) {
        return static_cast<unsigned char>(static_cast<unsigned>(value) >> shift & 0xFFU);
    };
    return {kVersion, type, byte(request, 8), byte(request, 0), byte(length, 8), byte(length, 0),
            0,        0};
}

// Returns false if the peer has closed the connection, or has read nothing until the send timeout
// of the socket (SO_SNDTIMEO). Changes the blocks as it writes them.
bool write_all(int fd, std::span<iovec> blocks) {
    constexpr std::size_t kMaxBlocks = 1024;  // IOV_MAX of Linux
    while (!blocks.empty()) {
        const auto count = static_cast<int>(std::min(blocks.size(), kMaxBlocks));
        const ssize_t wrote = ::writev(fd, blocks.data(), count);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return false;
        auto left = static_cast<std::size_t>(wrote);
        for (; !blocks.empty() && left >= blocks.front().iov_len; blocks = blocks.subspan(1))
            left -= blocks.front().iov_len;
        if (left == 0) continue;
        blocks.front().iov_base = static_cast<char*>(blocks.front().iov_base) + left;
        blocks.front().iov_len -= left;
    }
    return true;
}

}  // namespace

// Libfcgi is meant to accept connections itself. ipcFd and keepConnection make it believe that the
// open descriptor is a kept connection on which a second request arrives; detached prevents a wait
// of two seconds for the peer to close. Whatever libfcgi writes goes into the memory file.
Connection::Connection(ReceivedRequest received)
    : connection_(std::move(received.connection)), id_(received.id) {
    Fd file(::memfd_create("request", MFD_CLOEXEC));
    if (!file || !oai::write_all(file, received.records) || ::lseek(file.get(), 0, SEEK_SET) != 0 ||
        ::fcntl(file.get(), F_SETFL, O_APPEND) != 0)
        throw std::system_error(errno, std::generic_category(), "memory for a request");
    FCGX_InitRequest(&request_, -1, 0);
    request_.ipcFd = file.release();
    request_.keepConnection = 1;
    request_.detached = 1;
}

Connection::~Connection() {
    request_.keepConnection = 0;
    request_.detached = 1;
    FCGX_Finish_r(&request_);
}

// If the request is incomplete, libfcgi closes the file and fails to accept from socket -1.
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

// Sends the response as records of up to 64 KB, followed by the end of the request, in one system
// call. Libfcgi's own stream would write pieces of 8 KB, each of which wakes the web server. If
// sending fails, the connection is shut down, so that the peer cannot take a part for the whole.
bool Connection::send(std::initializer_list<std::string_view> pieces) {
    std::deque<RecordHeader> headers;  // a deque, since the blocks point to its elements
    std::vector<iovec> blocks;
    const auto add_header = [&](unsigned char type, std::size_t length) {
        headers.push_back(record_header(type, id_, length));
        blocks.push_back({headers.back().data(), headers.back().size()});
    };
    const auto add_content = [&](const void* bytes, std::size_t length) {
        blocks.push_back({const_cast<void*>(bytes), length});
    };
    for (std::string_view text : pieces) {
        for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMaxContent))) {
            const std::string_view content = text.substr(0, kMaxContent);
            add_header(kStandardOutput, content.size());
            add_content(content.data(), content.size());
        }
    }
    add_header(kStandardOutput, 0);
    add_header(kEndRequest, kComplete.size());
    add_content(kComplete.data(), kComplete.size());
    const bool sent = write_all(connection_.get(), blocks);
    if (!sent) ::shutdown(connection_.get(), SHUT_RDWR);
    return sent;
}

}  // namespace oai::fcgi
