// SPDX-License-Identifier: MIT
// Writes a slice of captures into the model webarchiv: names become ids here, COPY fills a
// temporary table, set-based statements do the rest in one transaction. That publishes its new
// captures itself (schema/015-loading.sql), or leaves them to the publisher. Any number of loaders
// may run at once. Knows no files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/capture_slice.h"
#include "tools/load/name_ids.h"
#include "tools/load/queries.h"
#include "tools/load/report.h"

namespace oai::load {

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

    // conninfo: of the loading role. Throws pg::Error; std::runtime_error in words when the model
    // is not there.
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

}  // namespace oai::load
