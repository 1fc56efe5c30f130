// SPDX-License-Identifier: MIT
// Sends requests to one repository, and retries those that may succeed later, waiting as
// Retry-After says. Knows HTTP and the form of an answer; knows nothing of lists and where they
// end. Not thread-safe.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tools/harvest/answer.h"
#include "tools/harvest/harvest.h"
#include "tools/http_client/client.h"

namespace oai::harvest {

// Names and values of a request, unescaped, in the order in which they are sent.
using RequestArguments = std::vector<std::pair<std::string, std::string>>;

// The repository gave no OAI-PMH answer. what(): one line.
class NoAnswer : public std::runtime_error {
  public:
    NoAnswer(const std::string& what, std::string bytes, int status = 0)
        : std::runtime_error(what), bytes_(std::move(bytes)), status_(status) {}
    // The body of the last answer with status 200 that could not be parsed; "" if there was none.
    const std::string& bytes() const { return bytes_; }
    bool is_refusal() const { return status_ == 401 || status_ == 403; }

  private:
    std::string bytes_;
    int status_;  // of HTTP; 0: unknown
};

// Thrown when the listener wants to stop.
struct StopRequest {};

class Provider {
  public:
    // The references must outlive it.
    Provider(http::Client& client, std::string url, const RetryLimits& retry_limits,
             HarvestListener& listener)
        : client_(client), url_(std::move(url)), retry_limits_(retry_limits), listener_(listener) {}

    // Returns the answer, which may consist of OAI-PMH errors alone. A damaged answer is requested
    // again, from then on without compression. tries: 0 for RetryLimits::tries. Throws NoAnswer,
    // StopRequest.
    ParsedAnswer ask(const RequestArguments& arguments, int tries = 0);

    const std::string& url() const { return url_; }
    const RetryLimits& retry_limits() const { return retry_limits_; }
    std::int64_t repaired() const { return repaired_; }  // characters, in all answers so far
    // Waits by the listener. Throws StopRequest.
    void wait(std::chrono::seconds time, const std::string& why);

  private:
    struct Attempt;
    void attempt(const http::ClientRequest& request, Attempt& attempt);
    void read_response(http::ClientResponse response, Attempt& attempt) const;

    http::Client& client_;
    const std::string url_;
    const RetryLimits retry_limits_;
    HarvestListener& listener_;
    std::int64_t repaired_ = 0;
};

// The URL of this request to a base URL, which may have a query of its own.
std::string request_url(const std::string& base_url, const RequestArguments& arguments);

}  // namespace oai::harvest
