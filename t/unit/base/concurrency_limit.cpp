// SPDX-License-Identifier: MIT
#include "base/concurrency_limit.h"

#include "t/lib/unit_headers.h"
#include "t/lib/wait.h"

using std::chrono::milliseconds;

TEST_CASE("concurrency limit: as many as there are slots enter, the others are refused") {
    ConcurrencyLimit limit(2, 0, 1h);
    auto first = limit.enter();
    const auto second = limit.enter();
    CHECK(first);
    CHECK(second);
    CHECK_FALSE(limit.enter());
    first.reset();
    CHECK(limit.enter());
}

TEST_CASE("concurrency limit: whoever waits gets the turn that is given back") {
    ConcurrencyLimit limit(1, 1, 1h);
    auto first = limit.enter();
    auto waiting = std::async(
        std::launch::async, [&] { return static_cast<bool>(limit.enter()); });
    REQUIRE(wait_until([&] { return limit.waiting() == 1; }));
    CHECK_FALSE(limit.enter());  // at once, since one is waiting already
    first.reset();
    CHECK(waiting.get());
}

TEST_CASE("concurrency limit: nobody waits longer than the limit says") {
    ConcurrencyLimit limit(1, 5, milliseconds{30});
    const auto turn = limit.enter();
    const auto began = std::chrono::steady_clock::now();
    CHECK_FALSE(limit.enter());
    CHECK(std::chrono::steady_clock::now() - began >= milliseconds{30});
}

TEST_CASE("concurrency limit: never more at once than there are slots") {
    ConcurrencyLimit limit(3, 100, 1h);
    std::atomic<int> inside = 0, most = 0, entered = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                const auto turn = limit.enter();
                if (!turn) continue;
                ++entered;
                const int now = ++inside;
                for (int before = most; before < now && !most.compare_exchange_weak(before, now);)
                    continue;
                --inside;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(most <= 3);
    CHECK(entered == 16 * 50);
}
