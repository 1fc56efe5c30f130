// SPDX-License-Identifier: MIT
#include "tools/load/first_fill.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace oai::load;

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
