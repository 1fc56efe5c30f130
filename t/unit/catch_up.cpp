// SPDX-License-Identifier: MIT
#include "catch_up.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace oai;
using namespace std::chrono_literals;

namespace {

// Nobody connects by it.
pg::PoolOptions unused() {
    pg::PoolOptions options;
    options.conninfo = "host=/nonexistent";
    return options;
}

VerbResult said(const std::string& words) { return {.errors = {}, .horizon = {}, .document = words}; }

}  // namespace

TEST_CASE("catch up: what is there is given at once") {
    pg::Pool pool(unused());
    CatchUp catch_up(pool, 1h, 1);
    CHECK(catch_up([] { return said("at once"); }).document == "at once");
}

TEST_CASE("catch up: what is behind is asked again until it is there") {
    pg::Pool pool(unused());
    CatchUp catch_up(pool, 1h, 1);
    int asked = 0;
    const VerbResult result = catch_up([&] {
        if (++asked < 4) throw Behind("not yet");
        return said("now");
    });
    CHECK(result.document == "now");
    CHECK(asked == 4);
}

TEST_CASE("catch up: what stays behind is refused after max_wait, and asked of others before") {
    pg::Pool pool(unused());
    CatchUp catch_up(pool, 120ms, 1);
    int asked = 0;
    const auto began = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(catch_up([&]() -> VerbResult { ++asked; throw Behind("never"); }), Behind);
    CHECK(std::chrono::steady_clock::now() - began >= 120ms);
    CHECK(asked >= 3);
}

TEST_CASE("catch up: who comes when enough are waiting, does not wait") {
    pg::Pool pool(unused());
    CatchUp catch_up(pool, 1h, 1);
    std::atomic<bool> there{false}, waits{false};
    std::thread waiter([&] {
        catch_up([&] {
            if (!there) {
                waits = true;
                throw Behind("not yet");
            }
            return said("now");
        });
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(60ms);  // it asks a second time only from within its place
    int asked = 0;
    CHECK_THROWS_AS(catch_up([&]() -> VerbResult { ++asked; throw Behind("never"); }), Behind);
    CHECK(asked == 2);  // once more, of the primary
    there = true;
    waiter.join();
}

TEST_CASE("catch up: other trouble passes through") {
    pg::Pool pool(unused());
    CatchUp catch_up(pool, 1h, 1);
    CHECK_THROWS_AS(catch_up([]() -> VerbResult { throw Fault("broken"); }), Fault);
}
