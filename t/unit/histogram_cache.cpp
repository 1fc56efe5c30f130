// SPDX-License-Identifier: MIT
#include "page/histogram_cache.h"

#include <catch2/catch.hpp>

using namespace oai;

namespace {

using std::chrono::seconds;

Horizon at(std::int64_t last_seq, std::uint64_t epoch = 1) { return {.h = Seconds(seconds{100}), .last_seq = last_seq, .epoch = epoch}; }

// What is drawn is how often it was.
struct Drawer {
    HistogramCache cache{3};
    int drawn = 0;
    std::int64_t counted_at = 1'000'000;

    std::int64_t ask(const Horizon& horizon, const std::optional<std::string>& set = {}, seconds end = seconds{9}) {
        const std::vector<Seconds> bounds{Seconds(seconds{0}), Seconds(end)};
        return cache.get(horizon, set, bounds, [&] { return Histogram{{{++drawn, true}}, counted_at}; }).at(0).records;
    }
};

}  // namespace

TEST_CASE("histogram cache: drawn once for each set and bounds") {
    Drawer d;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5), "a") == 2);
    CHECK(d.ask(at(5), {}, seconds{8}) == 3);
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5), "a") == 2);
    CHECK(d.ask(at(5), {}, seconds{8}) == 3);
}

TEST_CASE("histogram cache: a publication makes all of them old, and so does a new numbering") {
    Drawer d;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(6)) == 2);
    CHECK(d.ask(at(6, 2)) == 3);
    CHECK(d.ask(at(6)) == 4);
    CHECK(d.ask(at(6)) == 4);
    Horizon later = at(6);
    later.h += seconds{60};  // the clock alone changes nothing
    CHECK(d.ask(later) == 4);
}

TEST_CASE("histogram cache: it does not grow") {
    Drawer d;
    for (const char* set : {"a", "b", "c"}) d.ask(at(5), set);
    CHECK(d.ask(at(5), "a") == 1);
    CHECK(d.ask(at(5), "d") == 4);  // and all others are gone
    CHECK(d.ask(at(5), "a") == 5);
    CHECK(d.ask(at(5), "d") == 4);
}

TEST_CASE("histogram cache: what a database counted that is behind is not kept") {
    Drawer d;
    d.counted_at = 4;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5)) == 2);
    d.counted_at = 5;
    CHECK(d.ask(at(5)) == 3);
    CHECK(d.ask(at(5)) == 3);
}

TEST_CASE("histogram cache: a failure is nobody else's") {
    Drawer d;
    const std::vector<Seconds> bounds{Seconds(seconds{0}), Seconds(seconds{9})};
    CHECK_THROWS_AS(d.cache.get(at(5), {}, bounds, []() -> Histogram { throw std::runtime_error("no"); }), std::runtime_error);
    CHECK(d.ask(at(5)) == 1);
}
