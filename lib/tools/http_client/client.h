// SPDX-License-Identifier: MIT
// An HTTP client over libcurl: sends one request at a time, keeps connections, follows redirects,
// speaks http and https only, and limits time and size. It does not retry; RetryingClient does. A
// client is not thread-safe, but several clients may be used at the same time. Proxies are taken
// from the environment (http_proxy, no_proxy).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/http_client/handle.h"

namespace oai::http {

// Requests and responses of the HTTP client as plain values, and the errors of a transfer. Knows
// nothing of libcurl, nor of what the bytes mean.

// Header fields in the order in which they were sent; names are compared without case.
class HeaderFields {
  public:
    void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
    void clear() { fields_.clear(); }
    // The first field of this name.
    std::optional<std::string_view> find(std::string_view name) const;
    const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

  private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

struct ByteRange {
    std::int64_t offset = 0;
    std::int64_t length = 0;  // at least 1
};

struct ClientRequest {
    std::string url;             // http or https
    std::string method = "GET";  // or HEAD, POST
    // Besides those that follow from the other members and the options; without line ends.
    HeaderFields headers = {};
    // Of POST: application/x-www-form-urlencoded unless a header says otherwise.
    std::string body = {};
    std::optional<ByteRange> range = {};
    // Value of Accept-Encoding, as "gzip, deflate"; the body is then decoded. "": the header is not
    // sent, and nothing is decoded; with the header in `headers`, the body stays as it was sent.
    std::string accept_encoding = {};
    // Opens a connection for this request, and closes it. What a faulty server sends behind the
    // response, such as a body after HEAD, would otherwise be taken for the next response.
    bool own_connection = false;
    // Sends a POST that is redirected by 301 or 302 to the other address, too, rather than a GET.
    bool post_again = false;
};

struct ClientResponse {
    int status = 0;                                   // of the last response, after redirects
    HeaderFields headers;                             // of the same response
    std::string body;                                 // empty if a receiver took it
    std::string url;                                  // the one that responded, after redirects
    std::int64_t wire_bytes = 0;                      // size of the body before decoding
    std::optional<std::chrono::seconds> retry_after;  // from now, not negative
    bool stopped = false;                             // by Receiver::take
};

// Takes the body of a 2xx response piece by piece. Exceptions go through the client.
struct BodyReceiver {
    // Called once, before the first byte, even if the body is empty. `head` has status and headers.
    std::function<void(const ClientResponse& head)> begin = {};
    // Returns false to end the transfer without an error.
    std::function<bool(std::string_view piece)> take = {};
};

enum class FailureKind {
    address,     // not a URL of http or https
    connection,  // no such host, refused, or broken before the end of the response
    timeout,
    certificate,
    redirects,  // too many, or to another protocol
    too_large,
    answer,  // the response is no HTTP, or its encoding is damaged
};

// There was no response, or not all of it. what(): "URL: why", one line.
class TransferError : public std::runtime_error {
  public:
    TransferError(FailureKind kind, const std::string& what)
        : std::runtime_error(what), kind_(kind) {}
    FailureKind kind() const { return kind_; }

  private:
    FailureKind kind_;
};

std::string own_user_agent();  // with the version

struct ClientOptions {
    std::string user_agent = own_user_agent();
    std::string from = {};  // mail address for the header From; "": no such header
    std::chrono::milliseconds connect_timeout{30'000};
    std::chrono::seconds stall_timeout{60};           // with less than a hundred bytes each second
    std::chrono::milliseconds timeout{1'800'000};     // of a request with its redirects
    std::int64_t max_bytes = std::int64_t{64} << 20;  // of a body, decoded
    std::string limit_name = {};                      // behind the message that it is larger
    int max_redirects = 5;
    // A redirect from elsewhere to these addresses, of the own machine and network, is refused.
    std::vector<std::string> private_ranges = {"0.0.0.0/8",
                                               "10.0.0.0/8",
                                               "100.64.0.0/10",
                                               "127.0.0.0/8",
                                               "169.254.0.0/16",
                                               "172.16.0.0/12",
                                               "192.168.0.0/16",
                                               "::",
                                               "::1",
                                               "fc00::/7",
                                               "fe80::/10"};
    bool allow_private = false;  // it is followed
};

class Client {
  public:
    explicit Client(ClientOptions options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Throws TransferError. Any status is an answer. A POST that is redirected by 301, 302 or 303
    // goes on as GET, unless the request says otherwise. With a receiver, that gets the body of a
    // 2xx answer; max_bytes bounds it, too, and of another status answer.body has 64 KiB.
    ClientResponse send(const ClientRequest& request, const BodyReceiver& receiver = {});

    const ClientOptions& options() const { return options_; }

  private:
    ClientOptions options_;
    CurlHandle curl_;
};

// Escapes a value for use in a query: all bytes but A-Za-z0-9-._~ become %HH.
std::string escape_query_value(const std::string& value);

// Retries requests that may succeed later: after the time that an overloaded server names, or after
// waits that double each time. Not thread-safe, as the client is not.

struct RetryPolicy {
    int attempts = 5;                        // 1: no retry
    std::chrono::seconds first_wait{2};      // doubled each time
    std::chrono::seconds longest_wait{600};  // upper bound of every wait, of Retry-After too
};

// Whether a retry may succeed: true for 429, 502, 503 and 504, connection failures and timeouts.
bool is_temporary(int status);
bool is_temporary(FailureKind kind);

// How long to wait after a failed attempt; the first attempt is number 1.
std::chrono::seconds retry_wait(const RetryPolicy& policy, int attempt,
                                std::optional<std::chrono::seconds> retry_after);

class RetryingClient {
  public:
    // Sleeps for this time. `why`: the reason, as "http://...: HTTP status 503". What it throws
    // goes to the caller of send() and ends the retries.
    using Wait = std::function<void(std::chrono::seconds, const std::string& why)>;
    RetryingClient(Client& client, RetryPolicy policy, Wait wait = {});  // without `wait` it sleeps

    // As Client::send, and at the last attempt what that gives. A receiver gets begin() anew for
    // each attempt that comes so far.
    ClientResponse send(const ClientRequest& request, const BodyReceiver& receiver = {});

  private:
    Client& client_;
    const RetryPolicy policy_;
    const Wait wait_;
};

}  // namespace oai::http
