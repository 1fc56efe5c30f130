// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: finds out their format, reads them, writes their captures
// slice by slice. Damage costs what is damaged; loading a file again changes nothing.
#pragma once

#include <string>

#include "tools/load/capture_writers.h"
#include "tools/load/progress.h"
#include "tools/load/report.h"

namespace oai::load {

class CaptureLoader {
  public:
    // conninfo: of the loading role. Throws as CaptureStaging's constructor. Damage and notes of
    // files are printed by `progress`, at most 20 damages of each.
    CaptureLoader(const std::string& conninfo, CaptureWritersOptions options, Progress& progress);

    // Throws std::runtime_error in words when the file is no web archive or cannot be read; slices
    // that were written before stay.
    LoadReport load(const std::string& path);

  private:
    CaptureWriters writers_;
    Progress& progress_;
};

}  // namespace oai::load
