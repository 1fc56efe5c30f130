// SPDX-License-Identifier: MIT
#include "base/spare_threads.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <stdexcept>

using namespace oai;

TEST_CASE("spare threads: another thread works while a core is idle") {
    SpareThreads spare(2);
    const SpareThreads::Request request(spare);
    CHECK(spare.idle());
    std::promise<void> go;
    auto work = spare.try_start([&] {
        go.get_future().wait();
        return std::this_thread::get_id();
    });
    REQUIRE(work);
    CHECK_FALSE(spare.idle());
    CHECK_FALSE(spare.try_start([] { return 1; }));
    go.set_value();
    CHECK(work->get() != std::this_thread::get_id());
    while (!spare.idle()) std::this_thread::yield();
    CHECK(spare.try_start([] { return 1; })->get() == 1);
}

TEST_CASE("spare threads: none where every core has a request, or there is one core") {
    SpareThreads single(1);
    CHECK_FALSE(single.try_start([] {}));
    SpareThreads spare(2);
    const SpareThreads::Request first(spare);
    {
        const SpareThreads::Request second(spare);
        CHECK_FALSE(spare.idle());
        CHECK_FALSE(spare.try_start([] {}));
    }
    CHECK(spare.try_start([] {}));
}

TEST_CASE("spare threads: what the work throws, the future throws; what was promised is done before the end") {
    std::atomic<int> done = 0;
    {
        SpareThreads spare(4);
        CHECK_THROWS_AS(spare.try_start([]() -> int { throw std::out_of_range("x"); })->get(), std::out_of_range);
        for (int i = 0; i < 3; ++i)
            while (!spare.try_start([&done, owned = std::make_unique<int>(1)] { done += *owned; })) std::this_thread::yield();
    }
    CHECK(done == 3);
}
