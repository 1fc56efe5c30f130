// SPDX-License-Identifier: MIT
#include <deque>

#include "t/lib/unit_headers.h"
#include "tools/load/capture_fill.h"
#include "tools/load/parallel_writers.h"
#include "tools/load/progress.h"

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

struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

std::string shown(bool terminal) {
    const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
    {
        Progress progress(file.get(), terminal);
        const Progress::Time start{};
        progress.begin("x.cdx", 2000, start);
        progress.step(1, 500, start + 10ms);
        progress.step(2, 1000, start + 1s);
        progress.step(3, 1001, start + 1001ms);
        progress.line("a line");
    }
    std::string out(1000, '\0');
    std::rewind(file.get());
    out.resize(std::fread(out.data(), 1, out.size(), file.get()));
    return out;
}

}  // namespace

TEST_CASE("chunks of sets") {
    SetChunks chunks;
    chunks.add_set(1, {1});
    chunks.add_set(2, {1, 2});
    chunks.add_set(3, {1, 3});

    SECTION("a full chunk is given out, the others at the end") {
        for (int seq = 1; seq <= 300; ++seq) chunks.add(seq, {seq % 2 ? 2 : 3});
        std::map<int, std::vector<std::vector<int>>> of_set;
        const auto full = chunks.take_full();
        CHECK(full.size() == 4);  // two of set 1, one of each other
        for (const SetChunk& chunk : full) {
            CHECK(chunk.differences.size() == 128);
            CHECK(chunk.first_seq == chunk.differences.front());
            of_set[chunk.set_id].push_back(chunk.differences);
        }
        for (const SetChunk& chunk : chunks.take_rest())
            of_set[chunk.set_id].push_back(chunk.differences);
        CHECK(of_set[1].size() == 3);
        CHECK(of_set[1].back().back() == 300);
        CHECK(of_set[2].back() == std::vector<int>{257, 259, 261, 263, 265, 267, 269, 271,
                                                   273, 275, 277, 279, 281, 283, 285, 287,
                                                   289, 291, 293, 295, 297, 299});
        auto sizes = chunks.sizes();
        std::sort(sizes.begin(), sizes.end());
        CHECK(sizes == std::vector<std::pair<int, std::int64_t>>{{1, 300}, {2, 150}, {3, 150}});
    }
    SECTION("an item that is in a set by two leaves is there once") {
        chunks.add(7, {2, 3});
        CHECK(chunks.sizes().size() == 3);
        for (const SetChunk& chunk : chunks.take_rest())
            CHECK(chunk.differences == std::vector<int>{7});
    }
    SECTION("a chunk does not go beyond a multiple of 2^31") {
        const std::int64_t limit = std::int64_t{1} << 31;
        for (const std::int64_t seq : {limit - 2, limit - 1, limit, limit + 5, 2 * limit})
            chunks.add(seq, {1});
        std::vector<std::pair<std::int64_t, std::vector<int>>> got;
        for (const SetChunk& chunk : chunks.take_rest())
            got.emplace_back(chunk.first_seq, chunk.differences);
        CHECK(got == std::vector<std::pair<std::int64_t, std::vector<int>>>{
                         {limit - 2, {2147483646, 2147483647}}, {limit, {0, 5}}, {2 * limit, {0}}});
    }
}

// The durations are made up, so that it does not matter how fast the machine is.

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

TEST_CASE("progress shows records, percentage, speed and remaining time") {
    CHECK(progress_text("x.cdx", 12, 40'000'000, 100'000'000, 2.0) ==
          "x.cdx: 12 records, 40 % of 100.0 MB, 20.0 MB/s, 0:03 left");
    CHECK(progress_text("x", 0, 0, 5, 1.0) == "x: 0 records, 0 % of 5 B");
    CHECK_THAT(progress_text("x", 1, 1'000'000, 8'000'000'000'000, 1.0), Contains("h left"));
    CHECK(progress_text(std::string(300, 'a'), 1, 1, 2, 1.0).size() <= 78);
}

TEST_CASE("the progress line is rewritten on a terminal only") {
    CHECK(shown(false) == "a line\n");
    CHECK(shown(true) ==
          "\r\x1b[K" + progress_text("x.cdx", 2, 1000, 2000, 1.0) + "\r\x1b[Ka line\n");
}

TEST_CASE("a phase that counts") {
    CHECK(count_text("writing", 0, 100, 1) == "writing: 0 of 100");
    CHECK(count_text("writing", 25, 100, 7) == "writing: 25 of 100, 25 %, 0:21 left");
    CHECK(count_text("writing", 120, 100, 7) == "writing: 120 of 100, 120 %, 0:00 left");
}
