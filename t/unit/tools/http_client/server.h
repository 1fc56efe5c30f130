// SPDX-License-Identifier: MIT
// A server for tests of HTTP clients: on a free port of 127.0.0.1, one thread, one connection at a
// time, closed behind each answer. What it is asked is kept.
#pragma once

#include <arpa/inet.h>

#include "t/lib/unit_headers.h"

namespace oai::http::test {

// The value of the header in the lines of a request; "" if there is none. Exact case.
inline std::string field(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == request.npos) return "";
    const auto begin = at + name.size() + 4;
    return request.substr(begin, request.find("\r\n", begin) - begin);
}

// A whole answer: "200 OK", "Content-Type: text/xml\r\n", body.
inline std::string answer(const std::string& status, const std::string& headers,
                          const std::string& body) {
    return "HTTP/1.1 " + status + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
           body;
}

class Server {
  public:
    // Returns the bytes of the response to a request with this body; "" closes the connection.
    using Handler = std::function<std::string(const std::string& request)>;

    // host: or another address of 127.0.0.0/8.
    explicit Server(Handler handler, std::string host = "127.0.0.1")
        : handler_(std::move(handler)),
          host_(std::move(host)),
          fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        ::inet_pton(AF_INET, host_.c_str(), &address.sin_addr);
        socklen_t size = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        if (fd_ < 0 || ::bind(fd_, plain, size) != 0 || ::listen(fd_, 16) != 0 ||
            ::getsockname(fd_, plain, &size) != 0)
            throw std::runtime_error("no port for a server");
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~Server() {
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::string url(const std::string& path = "/") const {
        return "http://" + host_ + ":" + std::to_string(port_) + path;
    }
    Strings requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

  private:
    void serve() {
        for (int peer = 0; (peer = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;
             ::close(peer)) {
            const std::string request = read_request(peer);
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            }
            const std::string bytes = handler_(request);
            for (std::size_t done = 0; done < bytes.size();) {
                const ssize_t n =
                    ::send(peer, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
                if (n <= 0) break;
                done += static_cast<std::size_t>(n);
            }
            ::shutdown(peer, SHUT_WR);
        }
    }

    static std::string read_request(int peer) {
        std::string request;
        char piece[4096];
        for (ssize_t n = 0; (n = ::recv(peer, piece, sizeof piece, 0)) > 0;) {
            request.append(piece, static_cast<std::size_t>(n));
            const auto end = request.find("\r\n\r\n");
            if (end == request.npos) continue;
            const std::string length = field(request, "Content-Length");
            if (request.size() >= end + 4 + (length.empty() ? 0 : std::stoul(length))) break;
        }
        return request;
    }

    Handler handler_;
    const std::string host_;
    const int fd_;
    int port_ = 0;
    mutable std::mutex mutex_;
    Strings requests_;
    std::thread thread_;
};

}  // namespace oai::http::test
