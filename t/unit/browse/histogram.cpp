// SPDX-License-Identifier: MIT
#include "browse/histogram.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "protocol/record.h"

using namespace oai;

namespace {

Seconds at(const char* text) { return parse_datestamp(text)->first; }

std::string description(const char* first, const char* last, int max_bins = 32) {
    const Scale s = make_scale(at(first), at(last), max_bins);
    return print_datestamp(s.bounds.front()) + " " + print_datestamp(s.bounds[1]) + " " +
           print_datestamp(s.bounds.back()) + " " + std::to_string(s.bounds.size() - 1) + " " +
           std::to_string(s.label_bytes);
}

}  // namespace

TEST_CASE("scale: chooses the finest round steps") {
    CHECK(description("2020-01-01T00:00:05Z", "2020-01-01T00:00:05Z") ==
          "2020-01-01T00:00:05Z 2020-01-01T00:00:06Z 2020-01-01T00:00:06Z 1 20");
    CHECK(description("2020-02-28T23:50:00Z", "2020-02-29T00:10:00Z") ==
          "2020-02-28T23:50:00Z 2020-02-28T23:51:00Z 2020-02-29T00:11:00Z 21 16");
    CHECK(description("2020-01-15", "2020-01-30") ==
          "2020-01-15T00:00:00Z 2020-01-15T12:00:00Z 2020-01-30T12:00:00Z 31 13");
    CHECK(description("2020-01-01", "2020-01-31") ==
          "2020-01-01T00:00:00Z 2020-01-02T00:00:00Z 2020-02-01T00:00:00Z 31 10");
    CHECK(description("2019-12-31", "2020-06-15") ==
          "2019-12-30T00:00:00Z 2020-01-06T00:00:00Z 2020-06-22T00:00:00Z 25 10");
    CHECK(description("2019-05-06", "2021-03-04") ==
          "2019-05-01T00:00:00Z 2019-06-01T00:00:00Z 2021-04-01T00:00:00Z 23 7");
    CHECK(description("2003-05-06", "2026-11-22") ==
          "2003-01-01T00:00:00Z 2004-01-01T00:00:00Z 2027-01-01T00:00:00Z 24 4");
    CHECK(description("1969-12-31T23:59:59Z", "1970-01-01T00:00:01Z") ==
          "1969-12-31T23:59:59Z 1970-01-01T00:00:00Z 1970-01-01T00:00:02Z 3 20");
    CHECK(description("1961-06-01", "1999-01-01") ==
          "1960-01-01T00:00:00Z 1965-01-01T00:00:00Z 2000-01-01T00:00:00Z 8 4");
}

TEST_CASE("scale: every period is covered by ascending bins, at most the maximum") {
    for (const int max_bins : {2, 7, 32})
        for (std::int64_t length = 0; length < 9'000'000'000; length = length * 3 + 1) {
            for (const char* first :
                 {"2019-12-31T23:59:59Z", "1969-07-20T20:17:40Z", "0001-01-01T00:00:00Z"}) {
                const Seconds begin = at(first), end = begin + std::chrono::seconds{length};
                const Scale s = make_scale(begin, end, max_bins);
                CAPTURE(max_bins, length, first);
                REQUIRE(s.bounds.size() >= 2);
                CHECK(static_cast<int>(s.bounds.size()) - 1 <= max_bins);
                CHECK(s.bounds.front() <= begin);
                CHECK(s.bounds.back() > end);
                CHECK(std::is_sorted(s.bounds.begin(), s.bounds.end()));
                CHECK(s.bounds[s.bounds.size() - 2] <= end);
            }
        }
}

TEST_CASE("scale: the ticks of numbers are even and round, and reach the largest") {
    using Numbers = std::vector<std::int64_t>;
    CHECK(even_ticks(1) == Numbers{0, 1});
    CHECK(even_ticks(5) == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(even_ticks(6) == Numbers{0, 2, 4, 6});
    CHECK(even_ticks(26) == Numbers{0, 10, 20, 30});
    CHECK(even_ticks(460) == Numbers{0, 100, 200, 300, 400, 500});
    for (std::int64_t n = 1; n < 1'000'000'000'000'000; n = n * 7 / 3 + 1) {
        CAPTURE(n);
        const Numbers ticks = even_ticks(n);
        CHECK((ticks.size() >= 2 && ticks.size() <= 6));
        CHECK(ticks.back() >= n);
    }
}

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
