// SPDX-License-Identifier: MIT
// The first fill of model webarchiv (schema/webarchiv/fill.sql): reads files into blocks aside,
// each file in a transaction of its own, then writes and publishes everything in one transaction,
// in the order of numbers. Whole or not at all; one that was broken off goes on with the next file.
// Knows no formats of files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/load/capture.h"
#include "tools/load/capture_staging.h"
#include "tools/load/first_fill.h"
#include "tools/load/name_ids.h"

namespace oai::load {

// Captures of a first fill on their way through webarchiv.fill_block
// (schema/webarchiv/fill.sql): as they are read they go into buckets, and a bucket's captures
// into blocks of text; in the end they come back bucket by bucket, so that each can be sorted in
// memory. Knows no database.

// A capture whose names are numbers already. url, surt and what it is about are XML text, a digest
// has no blanks.
struct FillRow {
    std::string url{}, surt{}, digest{}, request{};  // as in Capture
    bool revisit = false;
    std::int64_t time = 0;  // Unix seconds
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

class CaptureFill final : public FirstFill {
  public:
    // Waits while another process fills the repository. Throws pg::Error.
    CaptureFill(const std::string& conninfo, CaptureStagingOptions options, Progress& progress);
    ~CaptureFill() { await_end(); }

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

    // Writes and publishes everything that was read; a fill of nothing changes nothing. Returns the
    // number of docs.
    std::int64_t publish();

  private:
    // Some captures that follow each other in the order of numbers.
    struct Part {
        std::int32_t bucket = 0;
        std::uint32_t first = 0, last = 0;  // spots
    };
    void keep(const std::vector<CanonicalCapture>& captures);
    void copy(const std::vector<FillBlock>& blocks);
    void resolve_names(const std::vector<CanonicalCapture>& captures);
    // The captures come back bucket by bucket by names_connection_, are sorted, those that are one
    // merged, and docs, chunks and the calendar written by connection_.
    std::vector<Part> parts();
    std::vector<FillRow> read_part(const Part& part);  // sorted; by another thread
    void write_parts();
    void add_to_group(FillRow row);
    void end_group();
    void write_batch();
    void write_docs();
    void write_calendar();
    std::vector<int> sets_of(const FillRow& row) const;
    std::int64_t datestamp_of(const FillRow& row) const;
    void make_indexes();

    const CaptureStagingOptions options_;
    const FillOrder order_;  // time: datestamps are the times of the captures
    NameIds arcs_{queries::kArcs}, domains_{queries::kDomains}, mimetypes_{queries::kMimetypes},
        collections_{queries::kCollections};
    std::int64_t captures_ = 0;  // that were read, of all files
    std::string path_;           // the file that is being read
    std::uint64_t bytes_ = 0;
    std::int64_t file_captures_ = 0;
    FillBlocks blocks_;
    std::vector<int> collection_ids_;  // of every doc
    std::vector<FillRow> group_;       // captures of one URL at one time
    std::vector<FillRow> batch_;       // docs that are not written yet
    std::int64_t last_datestamp_ = 0, last_bucket_ = -1;
};

}  // namespace oai::load
