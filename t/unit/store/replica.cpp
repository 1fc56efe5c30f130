// SPDX-License-Identifier: MIT
#include "store/replica.h"

#include "base/concurrency_limit.h"
#include "pg/pool.h"
#include "t/lib/unit_headers.h"
#include "t/lib/wait.h"

using std::chrono::seconds;

namespace {

Seconds at(int s) { return Seconds{seconds{s}}; }

Horizon horizon(std::int64_t last_seq, int h, int lag = 0, std::uint64_t epoch = 1) {
    return {
        .h = at(h), .last_seq = last_seq, .epoch = epoch, .earliest = at(0), .lag = seconds{lag}};
}

// Nobody connects by it.
pg::PoolOptions unused() {
    pg::PoolOptions options;
    options.conninfo = "host=/nonexistent";
    return options;
}

// Lags in so many attempts; each takes a millisecond.
struct Lagging {
    int times, asked = 0;
    int operator()() {
        pace(1ms);
        if (++asked <= times) throw ReplicaLagging("lags");
        return asked;
    }
};

}  // namespace

TEST_CASE(
    "replica position: a snapshot has reached its own position, earlier ones, and an unknown one") {
    const Horizon now = horizon(10, 100);
    CHECK(reaches(now, replica_position_of(now)));
    CHECK(reaches(now, replica_position_of(horizon(9, 99))));
    CHECK(reaches(now, ReplicaPosition{}));
}

TEST_CASE(
    "replica position: an older snapshot has not reached a later position, unless nothing was "
    "published in between") {
    CHECK_FALSE(reaches(horizon(10, 100), replica_position_of(horizon(11, 101))));
    CHECK(reaches(horizon(11, 100), replica_position_of(horizon(11, 105))));
}

TEST_CASE("replica position: numbers that a failover lost are not waited for") {
    CHECK(reaches(horizon(10, 102), replica_position_of(horizon(11, 101))));
}

TEST_CASE(
    "replica position: a replica may lag as far as responseDate is set back, and no further") {
    const ReplicaPosition far = replica_position_of(horizon(50, 160));
    CHECK(reaches(horizon(10, 100, 60), far));
    CHECK_FALSE(reaches(horizon(10, 99, 60), far));
    // What such an answer lacks is later than what any other has promised: its datestamp is at
    // least 101.
    CHECK(response_date(horizon(50, 160, 60)) == at(101));
}

TEST_CASE("replica position: positions of another epoch are not compared") {
    CHECK(reaches(horizon(1, 1, 0, 2), replica_position_of(horizon(11, 101, 0, 1))));
}

TEST_CASE("replica position: the furthest of two") {
    const ReplicaPosition near = replica_position_of(horizon(10, 100)),
                          far = replica_position_of(horizon(11, 101));
    CHECK(furthest(near, far) == far);
    CHECK(furthest(far, near) == far);
    CHECK(furthest(ReplicaPosition{}, near) == near);
    CHECK(furthest(near, ReplicaPosition{}) == near);
    const ReplicaPosition rebuilt = replica_position_of(horizon(1, 1, 0, 2));
    CHECK(furthest(far, rebuilt) == rebuilt);
}

TEST_CASE("replica position: a position not yet reached is a temporary error") {
    CHECK_NOTHROW(require_position(horizon(10, 100), replica_position_of(horizon(10, 100))));
    CHECK_THROWS_AS(require_position(horizon(10, 100), replica_position_of(horizon(11, 101))),
                    Unavailable);
}

TEST_CASE("replica retry: a replica that lags is tried again until it has caught up") {
    pg::Pool pool(unused());
    ConcurrencyLimit waiting(1, 0, {});
    std::chrono::nanoseconds lost{0};
    CHECK(retry_behind_replica(pool, waiting, 1h, lost, Lagging{0}) == 1);
    CHECK(lost == 0ns);
    CHECK(retry_behind_replica(pool, waiting, 1h, lost, Lagging{3}) == 4);
    CHECK(lost >= 3ms);  // of three attempts; the pauses between them do not count
    CHECK(waiting.enter());
}

TEST_CASE(
    "replica retry: a replica that goes on lagging is given up after max_wait, and the primary is "
    "tried") {
    pg::Pool pool(unused());
    ConcurrencyLimit waiting(1, 0, {});
    std::chrono::nanoseconds lost{0};
    Lagging always{1'000'000};
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(retry_behind_replica(pool, waiting, 500ms, lost, std::ref(always)),
                    ReplicaLagging);
    CHECK(std::chrono::steady_clock::now() - began >= 500ms);
    CHECK(always.asked >= 2);
    CHECK(waiting.enter());
}

TEST_CASE("replica retry: a request does not wait if enough others do") {
    pg::Pool pool(unused());
    ConcurrencyLimit waiting(1, 0, {});
    std::chrono::nanoseconds lost{0};
    const auto other = waiting.enter();
    Lagging always{1'000'000};
    CHECK_THROWS_AS(retry_behind_replica(pool, waiting, 1h, lost, std::ref(always)),
                    ReplicaLagging);
    CHECK(always.asked == 2);  // once more, of the primary
}
