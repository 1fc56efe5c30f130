// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: tells their format, reads them, moves their captures slice by slice. Damage
// costs what is damaged; loading a file again changes nothing.
#pragma once

#include <string>

#include "load/progress.h"
#include "load/report.h"
#include "load/staging.h"
#include "pg/connection.h"

namespace oai::load {

struct LoaderOptions {
    StagingOptions staging;
    int slice_records = 20'000;
};

class Loader {
  public:
    // As Staging's constructor. Damage and notes of files are told to `progress`, at most 20 damages of each.
    Loader(pg::Connection& connection, LoaderOptions options, Progress& progress);

    // Throws std::runtime_error in words when the file is no web archive or cannot be read: slices moved before stay.
    LoadReport load(const std::string& path);

  private:
    LoaderOptions options_;
    Staging staging_;
    Progress& progress_;
};

}  // namespace oai::load
