// SPDX-License-Identifier: MIT
// Retries requests that may succeed later: after the time that an overloaded server names, or after
// waits that double each time. Not thread-safe, as the client is not.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "tools/http_client/client.h"

namespace oai::http {

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
    ClientResponse send(const ClientRequest& request);
    ClientResponse send(const ClientRequest& request, const BodyReceiver& receiver);

  private:
    template <class Send>
    ClientResponse send_until_answered(const ClientRequest& request, const Send& send);
    Client& client_;
    const RetryPolicy policy_;
    const Wait wait_;
};

}  // namespace oai::http
