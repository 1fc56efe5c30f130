// SPDX-License-Identifier: MIT
// Asking again: an overloaded server is waited for as long as it says, one that cannot be reached longer each
// time. Not thread-safe, as the client.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "http/client.h"

namespace oai::http {

struct RetryPolicy {
    int attempts = 5;                        // 1: ask once
    std::chrono::seconds first_wait{2};      // doubled each time
    std::chrono::seconds longest_wait{600};  // more than that is not waited, whatever a server says
};

// 429, 502, 503 and 504 pass, and so do troubles with connections and timeouts.
bool passes(int status);
bool passes(Trouble trouble);

// How long to wait after the attempt, counted from 1, that failed.
std::chrono::seconds pause(const RetryPolicy& policy, int attempt,
                           std::optional<std::chrono::seconds> retry_after);

class Retry {
  public:
    // Waits and says why, as "http://... : HTTP status 503". What it throws ends the asking.
    using Wait = std::function<void(std::chrono::seconds, const std::string& why)>;
    Retry(Client& client, RetryPolicy policy, Wait wait = {});  // without `wait` it sleeps

    // As Client::send, and at the last attempt what that gives. A receiver gets begin() anew for each attempt
    // that comes so far.
    Answer send(const Request& request);
    Answer send(const Request& request, const Receiver& receiver);

  private:
    template <class Send>
    Answer until_answered(const Request& request, const Send& send);
    Client& client_;
    const RetryPolicy policy_;
    const Wait wait_;
};

}  // namespace oai::http
