// SPDX-License-Identifier: MIT
// Captures of a first fill on their way through webarchiv.fill_block
// (schema/webarchiv/fill.sql): as they are read they go into buckets, and a bucket's captures
// into blocks of text; in the end they come back bucket by bucket, so that each can be sorted in
// memory. Knows no database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/load/capture.h"

namespace oai::load {

// A capture whose names are numbers already. url, surt and what it is about are XML text, a digest
// has no blanks.
struct FillRow {
    std::string url{}, surt{}, digest{};  // digest: "" unknown
    std::int64_t time = 0;                // Unix seconds
    std::optional<std::int64_t> status{}, length{}, offset{}, arc{}, domain{}, mimetype{};
    DocumentDescription about{};
};

// How captures are numbered: by host, then surt and time; or by time, then surt.
enum class FillOrder { host, time };

// Whether a is numbered before b of the same bucket; captures of one URL at one time are equal.
bool is_before(FillOrder order, const FillRow& a, const FillRow& b);

// Where a capture lies in the whole order: buckets follow each other, and within one that is too
// large to be sorted at once, equal parts of the range of spots. Equal captures have one place.
struct FillPlace {
    std::int32_t bucket;
    std::uint32_t spot;
};
FillPlace fill_place(FillOrder order, const FillRow& row);

struct FillBlock {
    std::int32_t bucket = 0;
    std::int64_t captures = 0;
    std::string rows;
};

class FillBlocks {
  public:
    explicit FillBlocks(FillOrder order) : order_(order) {}

    void add(const FillRow& row);
    // Those that are large enough; all, when many small ones take too much memory together.
    std::vector<FillBlock> take_full();
    std::vector<FillBlock> take_all();

  private:
    const FillOrder order_;
    std::unordered_map<std::int32_t, FillBlock> open_;
    std::vector<FillBlock> full_;
    std::size_t open_bytes_ = 0;
};

// Takes the next capture off the rows of a block. Throws std::runtime_error if they are none.
FillRow take_row(std::string_view& rows);

}  // namespace oai::load
