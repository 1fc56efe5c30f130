// SPDX-License-Identifier: MIT
#include "pg/retry.h"

#include "t/lib/unit_headers.h"

namespace {

pg::Error error(const std::string& sqlstate) { return {"failed", "statement", sqlstate, false}; }

// Fails so many times with this SQLSTATE, then returns how often it was called.
struct FailingWork {
    std::string sqlstate;
    int failures;
    int calls = 0;
    int operator()() {
        if (++calls <= failures) throw error(sqlstate);
        return calls;
    }
};

}  // namespace

TEST_CASE("retry: work that succeeds runs once and nothing is cleaned up") {
    FailingWork work{"40P01", 0};
    int cleaned = 0;
    CHECK(pg::retry(pg::kRetryConflicts, work, [&] { ++cleaned; }) == 1);
    CHECK(cleaned == 0);
}

TEST_CASE("retry: after a conflict the work is cleaned up after and run again") {
    const auto* const sqlstate = GENERATE("40P01", "40001");
    FailingWork work{sqlstate, 3};
    int cleaned = 0;
    CHECK(pg::retry(pg::kRetryConflicts, work, [&] { ++cleaned; }) == 4);
    CHECK(cleaned == 3);
}

TEST_CASE("retry: the last permitted attempt passes its error on") {
    FailingWork work{"40P01", 100};
    int cleaned = 0;
    CHECK_THROWS_AS(pg::retry(pg::kRetryConflicts, work, [&] { ++cleaned; }), pg::Error);
    CHECK(work.calls == 4);
    CHECK(cleaned == 4);
}

TEST_CASE("retry: an error that the policy does not name is passed on at once, cleaned up after") {
    const auto* const sqlstate = GENERATE("", "40002", "55P03", "23505", "57P01");
    FailingWork work{sqlstate, 1};
    int cleaned = 0;
    CHECK_THROWS_AS(pg::retry(pg::kRetryConflicts, work, [&] { ++cleaned; }), pg::Error);
    CHECK(work.calls == 1);
    CHECK(cleaned == 1);
}

TEST_CASE("retry: an exception that is not the database's is passed on at once, cleaned up after") {
    int calls = 0, cleaned = 0;
    const auto work = [&]() -> int {
        ++calls;
        throw std::runtime_error("no");
    };
    CHECK_THROWS_AS(pg::retry(pg::kRetryConflicts, work, [&] { ++cleaned; }), std::runtime_error);
    CHECK(calls == 1);
    CHECK(cleaned == 1);
}

TEST_CASE("retry: work without a result, and a pause before each further attempt") {
    const pg::RetryPolicy policy{pg::is_lock_timeout, 3, 20ms};
    int calls = 0;
    const auto begin = std::chrono::steady_clock::now();
    pg::retry(
        policy,
        [&] {
            if (++calls < 3) throw error("55P03");
        },
        [] {});
    CHECK(calls == 3);
    CHECK(std::chrono::steady_clock::now() - begin >= 40ms);
}
