// SPDX-License-Identifier: MIT
#include "store/replica_retry.h"

#include <catch2/catch.hpp>
#include <thread>

#include "t/lib/wait.h"

using namespace oai;
using namespace std::chrono_literals;

namespace {

// Nobody connects by it.
pg::PoolOptions unused() {
    pg::PoolOptions options;
    options.conninfo = "host=/nonexistent";
    return options;
}

struct Answer {
    std::string document;
};

Answer said(const std::string& words) { return {words}; }

}  // namespace

TEST_CASE("replica retry: a result is returned at once") {
    pg::Pool pool(unused());
    ReplicaRetry replica_retry(pool, 1h, 1);
    const auto answer = replica_retry([] { return said("at once"); });
    CHECK(answer.result.document == "at once");
    CHECK(answer.wasted == 0ns);
}

TEST_CASE("replica retry: a replica that lags is tried again until it has caught up") {
    pg::Pool pool(unused());
    ReplicaRetry replica_retry(pool, 1h, 1);
    int asked = 0;
    const auto answer = replica_retry([&] {
        test::pace(1ms);
        if (++asked < 4) throw ReplicaLagging("not yet");
        return said("now");
    });
    CHECK(answer.result.document == "now");
    CHECK(answer.wasted >= 3ms);  // of three attempts; the pauses between them do not count
    CHECK(asked == 4);
}

TEST_CASE(
    "replica retry: a replica that goes on lagging is given up after max_wait, and the primary is "
    "tried") {
    pg::Pool pool(unused());
    ReplicaRetry replica_retry(pool, 500ms, 1);
    int asked = 0;
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(replica_retry([&]() -> Answer {
                        ++asked;
                        throw ReplicaLagging("never");
                    }),
                    ReplicaLagging);
    CHECK(std::chrono::steady_clock::now() - began >= 500ms);
    CHECK(asked >= 3);
}

TEST_CASE("replica retry: a request does not wait if enough others do") {
    pg::Pool pool(unused());
    ReplicaRetry replica_retry(pool, 1h, 1);
    std::atomic<bool> there{false};
    std::atomic<int> waiter_asked{0};
    std::thread waiter([&] {
        replica_retry([&] {
            if (!there) {
                ++waiter_asked;
                throw ReplicaLagging("not yet");
            }
            return said("now");
        });
    });
    // It asks a second time only from within its place.
    REQUIRE(test::wait_until([&] { return waiter_asked > 1; }));
    int asked = 0;
    CHECK_THROWS_AS(replica_retry([&]() -> Answer {
                        ++asked;
                        throw ReplicaLagging("never");
                    }),
                    ReplicaLagging);
    CHECK(asked == 2);  // once more, of the primary
    there = true;
    waiter.join();
}

TEST_CASE("replica retry: other errors are passed on") {
    pg::Pool pool(unused());
    ReplicaRetry replica_retry(pool, 1h, 1);
    CHECK_THROWS_AS(replica_retry([]() -> Answer { throw Fault("broken"); }), Fault);
}
