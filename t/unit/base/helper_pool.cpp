// SPDX-License-Identifier: MIT
#include "base/helper_pool.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

using namespace oai;

TEST_CASE("helper pool: another thread works while a core is idle") {
    HelperPool pool(2);
    const HelperPool::BusyCore request(pool);
    CHECK(pool.has_idle_core());
    std::promise<void> go;
    auto work = pool.try_start([&] {
        go.get_future().wait();
        return std::this_thread::get_id();
    });
    REQUIRE(work);
    CHECK_FALSE(pool.has_idle_core());
    CHECK_FALSE(pool.try_start([] { return 1; }));
    go.set_value();
    CHECK(work->get() != std::this_thread::get_id());
    while (!pool.has_idle_core()) std::this_thread::yield();
    CHECK(pool.try_start([] { return 1; })->get() == 1);
}

TEST_CASE("helper pool: none where every core has a request, or there is one core") {
    HelperPool single(1);
    CHECK_FALSE(single.try_start([] {}));
    HelperPool pool(2);
    const HelperPool::BusyCore first(pool);
    {
        const HelperPool::BusyCore second(pool);
        CHECK_FALSE(pool.has_idle_core());
        CHECK_FALSE(pool.try_start([] {}));
    }
    CHECK(pool.try_start([] {}));
}

TEST_CASE(
    "helper pool: what the work throws, the future throws; queued work is done before the "
    "end") {
    std::atomic<int> done = 0;
    {
        HelperPool pool(4);
        CHECK_THROWS_AS(pool.try_start([]() -> int { throw std::out_of_range("x"); })->get(),
                        std::out_of_range);
        for (int i = 0; i < 3; ++i)
            while (!pool.try_start([&done, owned = std::make_unique<int>(1)] { done += *owned; }))
                std::this_thread::yield();
    }
    CHECK(done == 3);
}
