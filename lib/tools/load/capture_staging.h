// SPDX-License-Identifier: MIT
// Writes a slice of captures into the model webarchiv: names become ids here, COPY fills a
// temporary table, set-based statements do the rest in one transaction. That publishes its new
// captures itself (schema/core/loading.sql), or leaves them to the publisher. Any number of loaders
// may run at once. Knows no files.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "pg/connection.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"
#include "tools/load/name_ids.h"
#include "tools/load/progress.h"
#include "tools/load/queries.h"

namespace oai::load {

// Captures gathered for one transaction.

struct CanonicalCapture {
    Capture capture;
    CanonicalUrl canonical;  // of its URL
};

// Each once: what a file says twice of one capture is merged.
class CaptureSlice {
  public:
    // Captures are told apart as queries::kMatch and the indexes of webarchiv.doc do, by the
    // canonical form of their URLs.
    void add(Capture capture);
    // May be moved from before clear().
    std::vector<CanonicalCapture>& records() { return records_; }
    const std::vector<CanonicalCapture>& records() const { return records_; }
    std::size_t size() const { return records_.size(); }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<CanonicalCapture> records_;
    std::unordered_map<std::string, std::size_t> by_digest_, by_place_;
    std::size_t bytes_ = 0;
};

// Captures gathered with all their repetitions, for who finds these out later.
class CaptureList {
  public:
    void add(Capture capture);
    std::vector<CanonicalCapture>& records() { return records_; }
    std::size_t size() const { return records_.size(); }
    std::size_t bytes() const { return bytes_; }  // about what it takes in memory
    void clear();

  private:
    std::vector<CanonicalCapture> records_;
    std::size_t bytes_ = 0;
};

struct CaptureStagingOptions {
    std::vector<std::string> collections;  // names, as collection_name() gives them
    // The first fill: captures get their own times as datestamps.
    bool captured_datestamps = false;
};

// What tells captures apart: slices that have one in common are not written at the same time.
std::size_t key_of(const CanonicalCapture& capture);

class CaptureStaging {
  public:
    // A slice that publishes itself takes a second of its own, so fewer captures are left to the
    // publisher, which publishes many slices at once.
    static constexpr std::size_t kLeastPublished = 2000;

    // conninfo: of the loading role. Throws pg::Error; std::runtime_error without the model.
    CaptureStaging(const std::string& conninfo, CaptureStagingOptions options);

    // All or nothing, but for names, which may stay. A slice that publishes itself waits for a
    // second of its own, so it should be large; where it cannot have one it is left to the
    // publisher. What conflicts with other programs is tried again. Throws pg::Error;
    // std::runtime_error in words when datestamps are brought after the first numbering has begun.
    PublishedSlice publish(const std::vector<CanonicalCapture>& captures);
    SliceCounts write(const std::vector<CanonicalCapture>& captures);  // for the publisher

  private:
    SliceCounts try_write(const std::vector<CanonicalCapture>& captures);
    // Returns nothing if the slice is to be left to the publisher.
    std::optional<PublishedSlice> try_publish(const std::vector<CanonicalCapture>& captures);
    void resolve_names(const std::vector<CanonicalCapture>& captures);
    void copy(const std::vector<CanonicalCapture>& captures);
    std::string collection_ids() const;  // as an array of SQL
    // `only_known`: captures that are new are filed when they are published.
    void file_in_collections(bool only_known);
    SliceCounts merge(std::size_t staged);
    SliceCounts count();
    void start_anew() noexcept;  // after a failure

    pg::Connection connection_;
    CaptureStagingOptions options_;
    NameIds arcs_{queries::kArcs}, domains_{queries::kDomains}, mimetypes_{queries::kMimetypes},
        collections_{queries::kCollections};
};

// The names that captures refer to by number.
void request_names(const std::vector<CanonicalCapture>& captures, NameIds& arcs, NameIds& domains,
                   NameIds& mimetypes);

}  // namespace oai::load
