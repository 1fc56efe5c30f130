// SPDX-License-Identifier: MIT
#include "browse/histogram_cache.h"

#include <catch2/catch.hpp>

using namespace oai;

namespace {

using std::chrono::seconds;

Horizon at(std::int64_t last_seq, std::uint64_t epoch = 1) {
    return {.h = Seconds(seconds{100}), .last_seq = last_seq, .epoch = epoch};
}

// The bins of each histogram are the number of histograms computed so far.
struct CacheTest {
    HistogramCache cache{3};
    int computed = 0;
    std::int64_t counted_at = 1'000'000;

    std::int64_t ask(const Horizon& horizon, const std::optional<std::string>& set = {},
                     seconds end = seconds{9}) {
        const std::vector<Seconds> bounds{Seconds(seconds{0}), Seconds(end)};
        return cache
            .get(horizon, set, bounds,
                 [&] {
                     return Histogram{{{++computed, true}}, counted_at};
                 })
            .at(0)
            .records;
    }
};

}  // namespace

TEST_CASE("histogram cache: computed once for each set and bounds") {
    CacheTest d;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5), "a") == 2);
    CHECK(d.ask(at(5), {}, seconds{8}) == 3);
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5), "a") == 2);
    CHECK(d.ask(at(5), {}, seconds{8}) == 3);
}

TEST_CASE("histogram cache: a publication empties it, and so does a new epoch") {
    CacheTest d;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(6)) == 2);
    CHECK(d.ask(at(6, 2)) == 3);
    CHECK(d.ask(at(6)) == 4);
    CHECK(d.ask(at(6)) == 4);
    Horizon later = at(6);
    later.h += seconds{60};  // the same publications at a later time
    CHECK(d.ask(later) == 4);
}

TEST_CASE("histogram cache: it is emptied when it is full") {
    CacheTest d;
    for (const char* set : {"a", "b", "c"}) d.ask(at(5), set);
    CHECK(d.ask(at(5), "a") == 1);
    CHECK(d.ask(at(5), "d") == 4);  // the cache was full, so all others are gone
    CHECK(d.ask(at(5), "a") == 5);
    CHECK(d.ask(at(5), "d") == 4);
}

TEST_CASE("histogram cache: a result of a database that lags behind is not kept") {
    CacheTest d;
    d.counted_at = 4;
    CHECK(d.ask(at(5)) == 1);
    CHECK(d.ask(at(5)) == 2);
    d.counted_at = 5;
    CHECK(d.ask(at(5)) == 3);
    CHECK(d.ask(at(5)) == 3);
}

TEST_CASE("histogram cache: a failure is not kept") {
    CacheTest d;
    const std::vector<Seconds> bounds{Seconds(seconds{0}), Seconds(seconds{9})};
    CHECK_THROWS_AS(
        d.cache.get(at(5), {}, bounds, []() -> Histogram { throw std::runtime_error("no"); }),
        std::runtime_error);
    CHECK(d.ask(at(5)) == 1);
}
