// SPDX-License-Identifier: MIT
// The durations are made up, so that it does not matter how fast the machine is.
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "tools/load/parallel_writers.h"

using namespace oai::load;
using std::chrono::milliseconds;

namespace {

constexpr SliceSizes kSizes{10'000, 2000, 50'000};

// A loader whose slices lock the row for 30 ms and `microseconds` for each record. Some slices have
// been gathered when the first of them is published, as by ParallelWriters.
class Loader {
  public:
    double microseconds = 0;

    // Returns how long the next slice locks the row, in milliseconds.
    double publish() {
        while (gathered_.size() < 4) gathered_.push_back(size);
        const std::size_t records = gathered_.front();
        gathered_.pop_front();
        const double locked = 30 + static_cast<double>(records) * microseconds / 1000;
        size = next_slice_size(kSizes, size, records, milliseconds{static_cast<int>(locked)});
        return locked;
    }
    std::size_t size = kSizes.first;

  private:
    std::deque<std::size_t> gathered_;
};

}  // namespace

TEST_CASE("a slice locks the horizon for 0.8 s at most") {
    Loader loader;
    SECTION("quick slices make the next larger, up to the most") {
        loader.microseconds = 5;
        while (loader.size < kSizes.most) {
            const std::size_t before = loader.size;
            CHECK(loader.publish() < 800);
            REQUIRE(loader.size > before);
        }
    }
    SECTION("one that grows does not go beyond, and comes close") {
        double locked = 0;
        for (loader.microseconds = 20; loader.microseconds < 60; loader.microseconds += 7) {
            Loader other = loader;
            for (int i = 0; i < 30; ++i) CHECK((locked = other.publish()) < 800);
            CHECK(locked > 700);
        }
    }
    SECTION("a machine that becomes slower has shorter slices soon") {
        loader.microseconds = 15;
        for (int i = 0; i < 20; ++i) loader.publish();
        loader.microseconds = 90;
        for (int i = 0; i < 14; ++i) {
            const std::size_t before = loader.size;
            if (loader.publish() > 800) CHECK(loader.size < before);
        }
        for (int i = 0; i < 20; ++i) CHECK(loader.publish() < 800);
    }
    SECTION("and quick again, longer ones") {
        loader.microseconds = 300;
        for (int i = 0; i < 20; ++i) loader.publish();
        CHECK(loader.size < 2500);
        loader.microseconds = 15;
        for (int i = 0; i < 20; ++i) loader.publish();
        CHECK(loader.size > 45'000);
    }
}

TEST_CASE("one slice does not change the size of the next too much") {
    std::mt19937 random(19);
    std::size_t size = kSizes.first;
    for (int i = 0; i < 10'000; ++i) {
        const std::size_t before = size;
        const milliseconds locked{random() % (random() % 2 == 0 ? 100 : 3'600'000)};
        size = next_slice_size(kSizes, before, 1 + random() % before, locked);
        CHECK(size >= std::max(before / 2, kSizes.least));
        CHECK(size <= std::min(2 * before, kSizes.most));
    }
    CHECK(next_slice_size(kSizes, 40'000, 2500, milliseconds{90}) == 40'000);
    CHECK(next_slice_size(kSizes, 40'000, 2500, milliseconds{900}) < 25'000);
}

TEST_CASE("a configuration may have smaller slices than are worth while") {
    const SliceSizes small{10'000, 2000, 500};
    for (const int locked : {0, 100, 5000})
        CHECK(next_slice_size(small, 500, 500, milliseconds{locked}) == 500);
}
