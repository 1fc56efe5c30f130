// SPDX-License-Identifier: MIT
// How requests of the conformance test reach a repository: over HTTP, or in unit tests by a
// function call; and responses of HTTP/1.1 as they follow each other on a connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oai::validate {

struct Question {
    std::string arguments;       // "verb=Identify&...", encoded
    std::string method = "GET";  // or HEAD, or POST, which sends the arguments as a form body
    std::string accept{};        // the header; "" for none
    bool gzip = false;           // Accept-Encoding: gzip
    std::string content_type{};  // of a POST; "" for application/x-www-form-urlencoded
    // No harvester should send it: HTTP may refuse it by a status of 4xx, and <request> need not
    // repeat what it says.
    bool refusable = false;
    bool operator==(const Question&) const = default;
};

struct Reply {
    int status = 0;       // of HTTP; 0 if there was no answer
    std::string error{};  // of the transport, if status is 0
    std::vector<std::pair<std::string, std::string>>
        headers{};  // with Content-Encoding, though the body is decoded
    std::string body{};
    std::string url{};  // where the answer came from after redirects; "" if there were none
    std::chrono::milliseconds duration{0};
    std::optional<std::chrono::seconds> retry_after{};  // from now; a date is turned into seconds
};

// The value of the first header with this name, compared without case; "" if there is none.
std::string_view header_of(const Reply& reply, std::string_view name);

// What came back on a connection.
struct RawReply {
    std::string error{};  // of the transport; then there are no bytes
    std::string bytes{};
    bool closed = false;  // by the repository, at the end of the bytes
};

class Transport {
  public:
    virtual ~Transport() = default;
    // Sends one request and waits for the reply. Never throws for what the repository does.
    virtual Reply send(const Question& question) = 0;
    // Sends the questions at once, without waiting for answers, on a connection of their own. Each
    // is GET or HEAD; the last one asks the repository to close the connection.
    virtual RawReply send_at_once(const std::vector<Question>& questions) = 0;
};

// Removes the first response from the front of `bytes` and returns it, its body decoded from
// chunks. `to_head`: it answers HEAD, so it ends with its header. A body without a length goes to
// the end. Responses of status 1xx are passed over. Returns nullopt, and leaves `bytes` as they
// are, if they do not begin with a whole response. Pure.
std::optional<Reply> take_reply(std::string_view& bytes, bool to_head);

}  // namespace oai::validate
