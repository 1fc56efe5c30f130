// SPDX-License-Identifier: MIT
// Runs a piece of work again when the database gave it up for the sake of others. Knows neither the
// statements nor the connection: the work begins and commits its own transaction, and the caller
// says how to clean up after a failure.
#pragma once

#include <chrono>
#include <thread>

#include "pg/error.h"

namespace oai::pg {

// A deadlock or a serialisation failure: the same transaction may succeed when it is run again.
inline bool is_conflict(const Error& e) {
    return e.sqlstate() == "40P01" || e.sqlstate() == "40001";
}

// A lock was not granted within lock_timeout.
inline bool is_lock_timeout(const Error& e) { return e.sqlstate() == "55P03"; }

struct RetryPolicy {
    bool (*should_retry)(const Error&);
    int max_attempts;
    std::chrono::milliseconds pause{0};  // before each further attempt
};

inline constexpr RetryPolicy kRetryConflicts{is_conflict, 4};

// Returns what `work` returns. After each failure, of whatever type, `clean_up` is called; then the
// work is run again if the policy says so, otherwise its exception is passed on.
template <class Work, class CleanUp>
auto retry(const RetryPolicy& policy, Work&& work, CleanUp&& clean_up) {
    for (int attempt = 1;; ++attempt) {
        try {
            return work();
        } catch (const Error& e) {
            clean_up();
            if (!policy.should_retry(e) || attempt >= policy.max_attempts) throw;
        } catch (...) {
            clean_up();
            throw;
        }
        std::this_thread::sleep_for(policy.pause);
    }
}

}  // namespace oai::pg
