// SPDX-License-Identifier: MIT
// What is asked and answered over HTTP: plain values, and what goes wrong on the way. Knows nothing of
// libcurl, nor of what the bytes mean.
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

// In the order in which they came; names are compared without case.
class Headers {
  public:
    void add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
    void clear() { fields_.clear(); }
    // The first of the name; nullopt if there is none.
    std::optional<std::string_view> find(std::string_view name) const;
    const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

  private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

struct Range {
    std::int64_t offset = 0;
    std::int64_t length = 0;  // at least 1
};

struct Request {
    std::string url;             // http or https
    std::string method = "GET";  // or HEAD, POST
    Headers headers = {};        // besides those below and of the client; no line ends in them
    std::string body = {};       // of POST: application/x-www-form-urlencoded unless a header says otherwise
    std::optional<Range> range = {};
    // Accept-Encoding, as "gzip, deflate", and undone; "" asks for none and undoes none: with the header
    // among `headers`, the body is as it was sent.
    std::string accept_encoding = {};
};

struct Answer {
    int status = 0;                                   // of the last answer, behind redirects
    Headers headers;                                  // of the same
    std::string body;                                 // whole; to a receiver, of another status than 2xx
    std::string url;                                  // that gave it, behind redirects
    std::int64_t wire_bytes = 0;                      // of its body as it was sent
    std::optional<std::chrono::seconds> retry_after;  // Retry-After, from now, if it says so: not negative
    bool stopped = false;                             // by Receiver::take
};

// Where a body of a 2xx answer goes piece by piece, where it is not wanted whole. What these throw goes
// through the client to its caller.
struct Receiver {
    std::function<void(const Answer& head)> begin = {};  // once, before the first byte, also if there is none
    std::function<bool(std::string_view piece)> take;    // false: no more is wanted, and that is no error
};

enum class Trouble {
    address,     // no URL of http or https
    connection,  // no such host, refused, or broken before the end of the answer
    timeout,
    certificate,
    redirects,  // too many, or to another protocol
    too_large,
    answer,  // what came is no HTTP, or is encoded wrongly
};

// No answer, or not all of it. what(): "URL: why", one line.
class Error : public std::runtime_error {
  public:
    Error(Trouble trouble, const std::string& what) : std::runtime_error(what), trouble_(trouble) {}
    Trouble trouble() const { return trouble_; }

  private:
    Trouble trouble_;
};

}  // namespace oai::http
