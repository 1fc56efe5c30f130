// SPDX-License-Identifier: MIT
#include "tools/http_client/retry.h"

#include <algorithm>
#include <thread>

namespace oai::http {

bool is_temporary(int status) {
    return status == 429 || status == 502 || status == 503 || status == 504;
}

bool is_temporary(FailureKind kind) {
    return kind == FailureKind::connection || kind == FailureKind::timeout;
}

std::chrono::seconds retry_wait(const RetryPolicy& policy, int attempt,
                                std::optional<std::chrono::seconds> retry_after) {
    if (retry_after)
        return std::min(std::max(*retry_after, std::chrono::seconds{1}), policy.longest_wait);
    std::chrono::seconds wait = policy.first_wait;
    for (int i = 1; i < attempt && wait < policy.longest_wait; ++i) wait *= 2;
    return std::min(wait, policy.longest_wait);
}

RetryingClient::RetryingClient(Client& client, RetryPolicy policy, Wait wait)
    : client_(client),
      policy_(policy),
      wait_(wait ? std::move(wait) : [](std::chrono::seconds s, const std::string&) {
          std::this_thread::sleep_for(s);
      }) {}

template <class Send>
ClientResponse RetryingClient::send_until_answered(const ClientRequest& request, const Send& send) {
    for (int attempt = 1;; ++attempt) {
        std::optional<std::chrono::seconds> retry_after;
        std::string why;
        try {
            ClientResponse response = send();
            if (!is_temporary(response.status) || attempt >= policy_.attempts) return response;
            retry_after = response.retry_after;
            why = request.url + ": HTTP status " + std::to_string(response.status);
        } catch (const TransferError& e) {
            if (!is_temporary(e.kind()) || attempt >= policy_.attempts) throw;
            why = e.what();
        }
        wait_(retry_wait(policy_, attempt, retry_after), why);
    }
}

ClientResponse RetryingClient::send(const ClientRequest& request) {
    return send_until_answered(
        request, [&] { return client_.send(request); });
}

ClientResponse RetryingClient::send(const ClientRequest& request, const BodyReceiver& receiver) {
    return send_until_answered(
        request, [&] { return client_.send(request, receiver); });
}

}  // namespace oai::http
