// SPDX-License-Identifier: MIT
// Requests and responses of the HTTP client as plain values, and the errors of a transfer. Knows
// nothing of libcurl, nor of what the bytes mean.
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

namespace oai::http {

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
    int status = 0;               // of the last response, after redirects
    HeaderFields headers;         // of the same response
    std::string body;             // empty if a receiver took it
    std::string url;              // the one that responded, after redirects
    std::int64_t wire_bytes = 0;  // size of the body before decoding
    std::optional<std::chrono::seconds>
        retry_after;       // Retry-After, from now, if it says so: not negative
    bool stopped = false;  // by Receiver::take
};

// Takes the body of a 2xx response piece by piece. Exceptions of these functions go through the
// client to its caller.
struct BodyReceiver {
    // Called once, before the first byte, even if the body is empty. `head` has status and headers.
    std::function<void(const ClientResponse& head)> begin = {};
    // Returns false to end the transfer without an error.
    std::function<bool(std::string_view piece)> take;
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

}  // namespace oai::http
