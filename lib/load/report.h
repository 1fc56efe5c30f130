// SPDX-License-Identifier: MIT
// What became of one file, whatever the model: counts for the summary, and words for the administrator.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "load/progress.h"

namespace oai::load {

struct LoadReport {
    std::int64_t records = 0;  // of the model: captures, items
    std::int64_t inserted = 0, updated = 0;
    std::int64_t damaged = 0;  // places where something was lost
    std::map<std::string, std::int64_t, std::less<>> passed_over;  // by kind
    std::int64_t unchanged() const { return records - inserted - updated; }
    std::int64_t all_passed_over() const;
    void pass_over(const std::string& kind, std::int64_t n = 1);  // a bounded number of kinds is told apart
};

// Damage as it is met, at most 20 of a file in words: "FILE:PLACE: what".
class DamageReport {
  public:
    DamageReport(const std::string& path, Progress& progress) : path_(path), progress_(progress) {}
    void add(std::uint64_t place, const std::string& what);
    std::int64_t finish();  // says how many more there were; how many in all

  private:
    const std::string& path_;
    Progress& progress_;
    std::int64_t damages_ = 0;
};

// "loaded FILE: 5 records (3 inserted, 1 updated, 1 unchanged), 2 passed over, 0 damaged"; in detail: what was passed
// over, by kind.
std::string summary(const std::string& path, const LoadReport& report, bool in_detail);

}  // namespace oai::load
