// SPDX-License-Identifier: MIT
// The second half of a first fill (capture_fill.h): reads the captures in the order of their
// numbers from one connection, merges those that are one, and writes docs, collections, chunks and
// the calendar by another one, within a transaction that the caller has opened for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/progress.h"
#include "tools/load/set_chunks.h"

namespace oai::load {

class FillWriter {
  public:
    struct Options {
        std::vector<int> collections;  // ids, ascending, each once: of every doc
        bool captured_datestamps = false;
        std::int64_t datestamp = 0;  // of the fill, Unix seconds; a later capture's too
        std::int64_t first_id = 0;
    };
    FillWriter(pg::Connection& reader, pg::Connection& writer, Options options, Progress& progress);

    std::int64_t write();  // returns the number of docs
    const SetChunks& chunks() const { return chunks_; }

  private:
    // A row of webarchiv.fill_capture.
    struct Row {
        std::string url, surt, digest;
        std::int64_t time = 0;
        std::optional<std::int64_t> status, length, offset, arc, domain, mimetype;
    };
    static Row read_row(const pg::Result& rows, int i);
    void take(Row row);
    void end_group();
    void write_batch();
    void write_docs();
    void write_collections();
    void write_chunks(const std::vector<SetChunk>& chunks);
    void write_calendar();
    std::vector<int> sets_of(const Row& row) const;
    std::int64_t datestamp_of(const Row& row) const;

    pg::Connection &reader_, &writer_;
    const Options options_;
    Progress& progress_;
    SetChunks chunks_;
    std::vector<Row> group_;  // captures of one URL at one time
    std::vector<Row> batch_;  // docs that are not written yet
    std::int64_t written_ = 0;
    std::int64_t last_datestamp_ = 0, last_bucket_ = -1;
};

}  // namespace oai::load
