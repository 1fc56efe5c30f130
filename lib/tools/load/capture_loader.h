// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: finds out their format, reads them, and writes their
// captures slice by slice, or all of them together as the first fill of an empty repository. Damage
// costs what is damaged; loading a file again changes nothing.
#pragma once

#include <optional>
#include <string>

#include "tools/load/capture_fill.h"
#include "tools/load/capture_staging.h"
#include "tools/load/input.h"
#include "tools/load/parallel_writers.h"
#include "tools/load/progress.h"
#include "tools/load/record.h"
#include "tools/load/report.h"

namespace oai::load {

struct CaptureLoaderOptions {
    CaptureStagingOptions staging;
    int slice_records = 50'000;  // at most
    bool leave_to_publisher = false;
    Descriptions descriptions = Descriptions::read;
};

using CaptureWriters = ParallelWriters<CaptureStaging, CanonicalCapture>;

class CaptureLoader {
  public:
    // conninfo: of the loading role. Throws as CaptureStaging's constructor. Damage and notes of
    // files are printed by `progress`, at most 20 damages of each.
    CaptureLoader(const std::string& conninfo, const CaptureLoaderOptions& options,
                  Progress& progress);

    // A WACZ is loaded WARC file by WARC file; the captures say of each that it is in FILE.wacz/ at
    // its place there. Throws std::runtime_error in words when the file is no web archive or cannot
    // be read; slices that were written before stay.
    LoadReport load(const std::string& path);

    // From now on files are read into a first fill, which finish() publishes. Returns false if the
    // repository is not empty: they are then loaded as without it.
    bool begin_fill();
    // To be called at the end. Throws pg::Error.
    void finish();

  private:
    LoadReport load_wacz(const std::string& path);
    // file: the name of the archive that captures get.
    LoadReport load_input(Input input, const std::string& path, const std::string& file);
    template <class Slice, class Writers>
    LoadReport load_into(Writers& writers, Input& input, const std::string& path,
                         const std::string& file);

    const std::string conninfo_;
    const CaptureStagingOptions staging_;
    const Descriptions descriptions_;
    CaptureWriters writers_;
    std::optional<CaptureFill> fill_;
    Progress& progress_;
};

}  // namespace oai::load
