// SPDX-License-Identifier: MIT
// An error of the database, with what the caller needs to react: whether a later attempt may
// succeed, the statement, and the SQLSTATE. Knows nothing of OAI-PMH.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace oai::pg {

inline constexpr char kUniqueViolation[] = "23505";  // SQLSTATE

class Error : public std::runtime_error {
  public:
    // sqlstate: five characters, or "" if the server sent none, as when its process was killed.
    Error(const std::string& what, std::string statement, std::string sqlstate, bool unavailable)
        : std::runtime_error(what),
          statement_(std::move(statement)),
          sqlstate_(std::move(sqlstate)),
          unavailable_(unavailable) {}
    // The name of the statement in queries.h, or "connect".
    const std::string& statement() const { return statement_; }
    const std::string& sqlstate() const { return sqlstate_; }
    // Whether a later attempt may succeed: the connection is broken, libpq failed without an answer
    // of the server, the class of the SQLSTATE is 08, 40, 53 or 57, a lock was not granted in
    // time, or the schema is missing or incomplete.
    bool unavailable() const { return unavailable_; }

  private:
    std::string statement_, sqlstate_;
    bool unavailable_;
};

// Runs a piece of work again when the database gave it up for the sake of others. Knows neither the
// statements nor the connection: the work begins and commits its own transaction, and the caller
// says how to clean up after a failure.

// A deadlock or a serialisation failure: the same transaction may succeed when it is run again.
inline bool is_conflict(const Error& e) {
    return e.sqlstate() == "40P01" || e.sqlstate() == "40001";
}

// A lock was not granted within lock_timeout.
inline bool is_lock_timeout(const Error& e) { return e.sqlstate() == "55P03"; }

// A view has other columns than when the prepared statement that reads it was planned. Connection
// prepares it anew at the next attempt.
inline bool has_other_columns(const Error& e) { return e.sqlstate() == "0A000"; }

struct RetryPolicy {
    bool (*should_retry)(const Error&);
    int max_attempts;
    std::chrono::milliseconds pause{0};  // before each further attempt
};

inline constexpr RetryPolicy kRetryConflicts{is_conflict, 4};
inline constexpr RetryPolicy kRetryOtherColumns{has_other_columns, 2};

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
