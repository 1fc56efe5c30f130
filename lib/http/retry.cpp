// SPDX-License-Identifier: MIT
#include "http/retry.h"

#include <algorithm>
#include <thread>

namespace oai::http {

bool passes(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

bool passes(Trouble trouble) { return trouble == Trouble::connection || trouble == Trouble::timeout; }

std::chrono::seconds pause(const RetryPolicy& policy, int attempt,
                           std::optional<std::chrono::seconds> retry_after) {
    if (retry_after) return std::min(std::max(*retry_after, std::chrono::seconds{1}), policy.longest_wait);
    std::chrono::seconds wait = policy.first_wait;
    for (int i = 1; i < attempt && wait < policy.longest_wait; ++i) wait *= 2;
    return std::min(wait, policy.longest_wait);
}

Retry::Retry(Client& client, RetryPolicy policy, Wait wait)
    : client_(client),
      policy_(policy),
      wait_(wait ? std::move(wait)
                 : [](std::chrono::seconds s, const std::string&) { std::this_thread::sleep_for(s); }) {}

template <class Send>
Answer Retry::until_answered(const Request& request, const Send& send) {
    for (int attempt = 1;; ++attempt) {
        std::optional<std::chrono::seconds> retry_after;
        std::string why;
        try {
            Answer answer = send();
            if (!passes(answer.status) || attempt >= policy_.attempts) return answer;
            retry_after = answer.retry_after;
            why = request.url + ": HTTP status " + std::to_string(answer.status);
        } catch (const Error& e) {
            if (!passes(e.trouble()) || attempt >= policy_.attempts) throw;
            why = e.what();
        }
        wait_(pause(policy_, attempt, retry_after), why);
    }
}

Answer Retry::send(const Request& request) {
    return until_answered(request, [&] { return client_.send(request); });
}

Answer Retry::send(const Request& request, const Receiver& receiver) {
    return until_answered(request, [&] { return client_.send(request, receiver); });
}

}  // namespace oai::http
