// SPDX-License-Identifier: MIT
#include "tools/http_client/raw.h"

#include <poll.h>

#include <array>
#include <stdexcept>

#include "tools/http_client/handle.h"
#include "tools/http_client/message.h"

namespace oai::http {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr int kMaxWaits = 3;  // times the patience, for one that sends a byte now and then

// Waits until the connection is ready for `events`; false if that takes too long.
bool wait_for(CURL* c, short events, std::chrono::milliseconds patience) {
    curl_socket_t socket = CURL_SOCKET_BAD;
    if (curl_easy_getinfo(c, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK) return false;
    pollfd ready{.fd = socket, .events = events, .revents = 0};
    return ::poll(&ready, 1, static_cast<int>(patience.count())) > 0;
}

bool send_all(CURL* c, std::string_view bytes, std::chrono::milliseconds patience) {
    while (!bytes.empty()) {
        std::size_t sent = 0;
        const CURLcode code = curl_easy_send(c, bytes.data(), bytes.size(), &sent);
        if (code == CURLE_AGAIN ? !wait_for(c, POLLOUT, patience) : code != CURLE_OK) return false;
        bytes.remove_prefix(sent);
    }
    return true;
}

RawResponse receive(CURL* c, std::chrono::milliseconds patience) {
    RawResponse response;
    std::array<char, 16384> buffer{};
    const auto end = std::chrono::steady_clock::now() + kMaxWaits * patience;
    while (response.bytes.size() < kMaxBytes && std::chrono::steady_clock::now() < end) {
        std::size_t n = 0;
        const CURLcode code = curl_easy_recv(c, buffer.data(), buffer.size(), &n);
        if (code == CURLE_AGAIN) {
            if (!wait_for(c, POLLIN, patience)) return response;
        } else if (code != CURLE_OK || n == 0) {
            response.closed = true;
            return response;
        }
        response.bytes.append(buffer.data(), n);
    }
    return response;
}

std::string part_of(const CurlUrlHandle& url, CURLUPart part) {
    char* text = nullptr;
    return curl_url_get(url.get(), part, &text, 0) == CURLUE_OK ? CurlTextHandle(text).get() : "";
}

}  // namespace

RawResponse send_raw(const std::string& url, const std::string& bytes,
                     std::chrono::milliseconds patience) {
    const CurlHandle curl(curl_easy_init());
    if (!curl) throw std::runtime_error("libcurl cannot start");
    CURL* const c = curl.get();
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_URL, url.c_str());
    curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(c, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_ENABLE_ALPN, 0L);  // or else a server may expect HTTP/2
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(patience.count()));
    const CURLcode code = curl_easy_perform(c);
    if (code != CURLE_OK)
        throw TransferError(FailureKind::connection, url + ": " + curl_easy_strerror(code));
    if (!send_all(c, bytes, patience)) return {.bytes = {}, .closed = true};
    return receive(c, patience);
}

UrlParts split_url(const std::string& url) {
    const CurlUrlHandle parsed(curl_url());
    if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        throw TransferError(FailureKind::address, url + ": no URL of http or https");
    const std::string port = part_of(parsed, CURLUPART_PORT);
    return {part_of(parsed, CURLUPART_HOST) + (port.empty() ? "" : ":" + port),
            part_of(parsed, CURLUPART_PATH)};
}

}  // namespace oai::http
