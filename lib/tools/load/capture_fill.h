// SPDX-License-Identifier: MIT
// The first fill of model webarchiv (schema/webarchiv/fill.sql): reads files into blocks aside,
// each file in a transaction of its own, then writes and publishes everything in one transaction,
// in the order of numbers. Whole or not at all; one that was broken off goes on with the next file.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pg/connection.h"
#include "tools/load/capture_staging.h"
#include "tools/load/name_ids.h"
#include "tools/load/progress.h"

namespace oai::load {

// Captures of a first fill on their way through webarchiv.fill_block (schema/webarchiv/fill.sql):
// as they are read they go into buckets, and a bucket's captures into blocks of text; in the end
// they come back bucket by bucket, so that each can be sorted in memory. The names that they refer
// to, file, domain and media type, are numbers already, as text. Knows no database.

// How captures are numbered: by host, then surt and time; or by time, then surt.
enum class FillOrder { host, time };

// Whether a is numbered before b of the same bucket; captures of one URL at one time are equal.
bool is_before(FillOrder order, const CanonicalCapture& a, const CanonicalCapture& b);

// Where a capture lies in the whole order: buckets follow each other, and within one that is too
// large to be sorted at once, equal parts of the range of spots. Equal captures have one place.
struct FillPlace {
    std::int32_t bucket;
    std::uint32_t spot;
};
FillPlace fill_place(FillOrder order, const CanonicalCapture& capture);

struct FillBlock {
    std::int32_t bucket = 0;
    std::int64_t captures = 0;
    std::string rows;
};

class FillBlocks {
  public:
    explicit FillBlocks(FillOrder order) : order_(order) {}

    void add(const CanonicalCapture& capture);
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
CanonicalCapture take_capture(std::string_view& rows);

struct SetChunk {
    int set_id = 0;
    std::int64_t first_seq = 0;
    std::vector<int> differences;
};

// The chunks of all sets (schema/core/tables.sql, core/chunks.sql) while items are numbered in
// ascending order: a chunk is given out when it is full. Holds one open chunk for each set that
// has items: 300,000 of them take 150 MB. Knows no database.
class SetChunks {
  public:
    // The ids of a set and of all above it.
    void add_set(int id, std::vector<int> path) { paths_[id] = std::move(path); }
    // REQUIRES: seq is greater than in the last call; each leaf is a set that was added.
    void add(std::int64_t seq, const std::vector<int>& leaves);

    std::vector<SetChunk> take_full() { return std::exchange(full_, {}); }
    std::vector<SetChunk> take_rest();                        // at the end: those that are not full
    std::vector<std::pair<int, std::int64_t>> sizes() const;  // of sets with items

  private:
    struct OpenSet {
        SetChunk chunk;
        std::int64_t size = 0, last_seq = 0;
    };

    std::unordered_map<int, std::vector<int>> paths_;
    std::unordered_map<int, OpenSet> open_;
    std::vector<SetChunk> full_;
};

class CaptureFill {
  public:
    // Waits while another process fills the repository. Throws pg::Error.
    CaptureFill(const std::string& conninfo, CaptureStagingOptions options, Progress& progress);
    ~CaptureFill() { await_end(); }
    CaptureFill(const CaptureFill&) = delete;
    CaptureFill& operator=(const CaptureFill&) = delete;

    // Returns false if the repository is not empty: files are then to be loaded slice by slice.
    // Says whether it goes on with a fill that was broken off, or begins anew.
    bool begin();

    // The number of captures of a file that was read before; of any other nothing, and it begins.
    std::optional<std::int64_t> begin_file(const std::string& path, std::uint64_t bytes);
    std::size_t slice_records() const { return 20'000; }
    // Takes the captures, and keeps them while the caller reads on. Counts all as inserted: what
    // other files have, too, is found out by publish(). Throws what the last ones threw.
    SliceCounts write(std::vector<CanonicalCapture>& captures);
    SliceCounts finish();          // ends the file
    void give_up_file() noexcept;  // takes back what was read of it

    // Writes and publishes everything that was read; returns the number of docs.
    std::int64_t publish();

  private:
    // Some captures that follow each other in the order of numbers.
    struct Part {
        std::int32_t bucket = 0;
        std::uint32_t first = 0, last = 0;  // spots
    };
    void keep(std::vector<CanonicalCapture> captures);
    void copy(const std::vector<FillBlock>& blocks);
    // The captures come back bucket by bucket by names_connection_, are sorted, those that are one
    // merged, and docs, chunks and the calendar written by connection_.
    std::vector<Part> parts();
    std::vector<CanonicalCapture> read_part(const Part& part);  // sorted; by another thread
    void write_parts();
    void add_to_group(CanonicalCapture capture);
    void end_group();
    void write_batch();
    void write_docs();
    void write_calendar();
    std::vector<int> sets_of(const CanonicalCapture& capture) const;
    std::int64_t datestamp_of(const CanonicalCapture& capture) const;
    void write_chunks(const std::vector<SetChunk>& chunks);
    // Adds two arrays: the sets that have items, and how many each has.
    void add_set_sizes(pg::Parameters& parameters) const;
    // Waits for the writing that was begun before, and throws what that threw.
    void wait() {
        if (writing_.valid()) writing_.get();
    }
    void await_end() noexcept {  // drops what it threw
        if (writing_.valid()) writing_.wait();
        writing_ = {};
    }

    Progress& progress_;
    pg::Connection connection_, names_connection_;
    const CaptureStagingOptions options_;
    const FillOrder order_;  // time: datestamps are the times of the captures
    const char* const captured_ = order_ == FillOrder::time ? "t" : "f";
    NameIds arcs_{queries::kArcs}, domains_{queries::kDomains}, mimetypes_{queries::kMimetypes},
        collections_{queries::kCollections};
    std::int64_t captures_ = 0;  // that were read, of all files
    std::string path_;           // the file that is being read
    std::uint64_t bytes_ = 0;
    std::int64_t file_captures_ = 0;
    FillBlocks blocks_;
    std::vector<int> collection_ids_;      // of every doc
    std::vector<CanonicalCapture> group_;  // captures of one URL at one time
    std::vector<CanonicalCapture> batch_;  // docs that are not written yet
    SetChunks chunks_;
    std::int64_t datestamp_ = 0, first_id_ = 0;  // of the fill, Unix seconds; of its records
    std::int64_t written_ = 0;                   // records that have a number
    std::int64_t last_datestamp_ = 0, last_bucket_ = -1;
    std::future<void> writing_;  // by a thread that has the members above until it has ended
};

}  // namespace oai::load
