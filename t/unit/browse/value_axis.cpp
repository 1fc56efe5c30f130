// SPDX-License-Identifier: MIT
#include "browse/value_axis.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace oai;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("value axis: a linear one has even, round ticks") {
    CHECK(make_axis(false, 1).ticks == Numbers{0, 1});
    CHECK(make_axis(false, 5).ticks == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(make_axis(false, 6).ticks == Numbers{0, 2, 4, 6});
    CHECK(make_axis(false, 26).ticks == Numbers{0, 10, 20, 30});
    CHECK(make_axis(false, 460).ticks == Numbers{0, 100, 200, 300, 400, 500});
    CHECK(make_axis(false, 20'000'000).ticks ==
          Numbers{0, 5'000'000, 10'000'000, 15'000'000, 20'000'000});
}

TEST_CASE("value axis: a logarithmic one has powers of ten") {
    CHECK(make_axis(true, 1).ticks == Numbers{0, 1});
    CHECK(make_axis(true, 10).ticks == Numbers{0, 10});
    CHECK(make_axis(true, 11).ticks == Numbers{0, 10, 100});
    CHECK(make_axis(true, 99'999).ticks == Numbers{0, 10, 100, 1000, 10'000, 100'000});
    CHECK(make_axis(true, 20'000'000).ticks == Numbers{0, 100, 10'000, 1'000'000, 100'000'000});
}

TEST_CASE("value axis: of any number, the ticks reach it, and places ascend from 0 to 1") {
    for (const bool logarithmic : {false, true})
        for (std::int64_t n = 1; n < 1'000'000'000'000'000; n = n * 7 / 3 + 1) {
            CAPTURE(logarithmic, n);
            const ValueAxis axis = make_axis(logarithmic, n);
            CHECK(axis.ticks.size() >= 2);
            CHECK(axis.ticks.size() <= 6);
            CHECK(axis.ticks.back() >= n);
            CHECK(axis.position(0) == 0);
            CHECK(axis.position(n) > 0);
            CHECK(axis.position(axis.ticks.back()) == Approx(1));
            CHECK(axis.position(n / 2) < axis.position(n));
        }
}

TEST_CASE("value axis: numbers of very different size want a logarithm") {
    CHECK_FALSE(wants_logarithm(Numbers{}));
    CHECK_FALSE(wants_logarithm(Numbers{0, 0}));
    CHECK_FALSE(wants_logarithm(Numbers{7}));
    CHECK_FALSE(wants_logarithm(Numbers{100, 90, 80, 1, 1}));
    CHECK_FALSE(wants_logarithm(Numbers{5, 5, 100}));
    CHECK(wants_logarithm(Numbers{0, 1, 1, 0, 100}));
    CHECK(wants_logarithm(Numbers{20'000'000, 300, 200, 100}));
}
