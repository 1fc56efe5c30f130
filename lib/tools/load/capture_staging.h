// SPDX-License-Identifier: MIT
// Writes a slice of captures into the model webarchiv in one transaction: names become ids here,
// COPY fills a temporary table, set-based statements do the rest. Any number of loaders may run at
// once. Knows no files.
#pragma once

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

class CaptureStaging {
  public:
    // Throws pg::Error; std::runtime_error in words when the model is not there.
    CaptureStaging(pg::Connection& connection, CaptureStagingOptions options);

    // All or nothing. A deadlock with other programs is tried again. Throws pg::Error;
    // std::runtime_error in words when datestamps are brought after the first numbering has begun.
    SliceCounts write(const std::vector<CanonicalCapture>& captures);

  private:
    SliceCounts try_write(const std::vector<CanonicalCapture>& captures);
    void resolve_names(const std::vector<CanonicalCapture>& captures);
    void copy(const std::vector<CanonicalCapture>& captures);
    void file_in_collections();
    SliceCounts merge(std::size_t staged);

    pg::Connection& connection_;
    CaptureStagingOptions options_;
    NameIds arcs_{queries::kArcs}, domains_{queries::kDomains}, mimetypes_{queries::kMimetypes},
        collections_{queries::kCollections};
};

}  // namespace oai::load
