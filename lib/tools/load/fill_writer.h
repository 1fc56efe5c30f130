// SPDX-License-Identifier: MIT
// The second half of a first fill (capture_fill.h): reads the captures bucket by bucket from one
// connection, sorts them, merges those that are one, and writes docs, chunks and the calendar by
// another one, within a transaction that the caller has opened for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/fill_blocks.h"
#include "tools/load/progress.h"
#include "tools/load/set_chunks.h"

namespace oai::load {

class FillWriter {
  public:
    struct Options {
        std::vector<int> collections;       // ids, ascending, each once: of every doc
        FillOrder order = FillOrder::host;  // time: datestamps are the times of the captures
        std::int64_t datestamp = 0;         // of the fill, Unix seconds; a later capture's too
        std::int64_t first_id = 0;
    };
    FillWriter(pg::Connection& reader, pg::Connection& writer, Options options, Progress& progress);

    std::int64_t write();  // returns the number of docs
    const SetChunks& chunks() const { return chunks_; }

  private:
    // Some captures that follow each other in the order of numbers; sorted. Run by another thread,
    // which has the reader until then.
    struct Part {
        std::int32_t bucket = 0;
        std::uint32_t first = 0, last = 0;  // spots
    };
    std::vector<Part> parts();
    std::vector<FillRow> read(const Part& part);
    void take(FillRow row);
    void end_group();
    void write_batch();
    void write_docs();
    void write_chunks(const std::vector<SetChunk>& chunks);
    void write_calendar();
    std::vector<int> sets_of(const FillRow& row) const;
    std::int64_t datestamp_of(const FillRow& row) const;

    pg::Connection &reader_, &writer_;
    const Options options_;
    Progress& progress_;
    SetChunks chunks_;
    std::vector<FillRow> group_;  // captures of one URL at one time
    std::vector<FillRow> batch_;  // docs that are not written yet
    std::int64_t written_ = 0;
    std::int64_t last_datestamp_ = 0, last_bucket_ = -1;
};

}  // namespace oai::load
