// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: finds out their format, reads them, writes their captures
// slice by slice. Damage costs what is damaged; loading a file again changes nothing.
#pragma once

#include <string>

#include "pg/connection.h"
#include "tools/load/capture_staging.h"
#include "tools/load/progress.h"
#include "tools/load/report.h"

namespace oai::load {

struct CaptureLoaderOptions {
    CaptureStagingOptions staging;
    int slice_records = 20'000;
};

class CaptureLoader {
  public:
    // Throws as CaptureStaging's constructor. Damage and notes of files are printed by `progress`,
    // at most 20 damages of each.
    CaptureLoader(pg::Connection& connection, CaptureLoaderOptions options, Progress& progress);

    // Throws std::runtime_error in words when the file is no web archive or cannot be read; slices
    // that were written before stay.
    LoadReport load(const std::string& path);

  private:
    int slice_records_;
    CaptureStaging staging_;
    Progress& progress_;
};

}  // namespace oai::load
