// SPDX-License-Identifier: MIT
// Loads files into the model webarchiv: tells their format, reads them, moves their captures slice by slice. Damage
// costs what is damaged; loading a file again changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "load/progress.h"
#include "load/staging.h"
#include "pg/connection.h"

namespace oai::load {

struct LoaderOptions {
    StagingOptions staging;
    int slice_records = 20'000;
};

struct LoadReport {
    std::int64_t records = 0;  // captures in the file
    std::int64_t inserted = 0, updated = 0;
    std::int64_t damaged = 0;  // places where something was lost
    std::map<std::string, std::int64_t, std::less<>> passed_over;  // by kind
    std::int64_t unchanged() const { return records - inserted - updated; }
    std::int64_t all_passed_over() const;
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

// "loaded FILE: 5 records (3 inserted, 1 updated, 1 unchanged), 2 passed over, 0 damaged"; in detail: what was passed
// over, by kind.
std::string summary(const std::string& path, const LoadReport& report, bool in_detail);

}  // namespace oai::load
