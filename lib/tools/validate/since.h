// SPDX-License-Identifier: MIT
// What has changed since an earlier test of the same repository, by its report in JUnit XML. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/check.h"

namespace oai::validate {

// A report that junit() wrote.
struct PastReport {
    std::string name;                                      // as that of the report now
    std::string made;                                      // when; "" if it does not say
    std::map<std::string, Verdict, std::less<>> verdicts;  // by the id of the check
};

// Throws std::runtime_error if it is no such report.
PastReport read_junit(std::string_view text);

struct Changes {
    std::vector<const Outcome*> worse;    // found now, and passed then
    std::vector<const Outcome*> fresh;    // found now, and not judged then
    std::vector<const Outcome*> mended;   // found then, and passed now
    std::vector<const Outcome*> unknown;  // found then, and not judged now
    std::vector<const Outcome*> same;     // found then and now
    bool any() const {
        return !worse.empty() || !fresh.empty() || !mended.empty() || !unknown.empty();
    }
};
// Checks that were not run now, or were not run then and pass, are left out.
Changes compare(const PastReport& past, const std::vector<Outcome>& outcomes);

// The words for each of the five, in their order: "Worse", ...
struct ChangeList {
    std::string_view title;
    const std::vector<const Outcome*>* outcomes;
};
std::vector<ChangeList> change_lists(const Changes& changes);

// "Since TIME" and a line for each change, for a terminal.
std::string print_changes(const PastReport& past, const Changes& changes);

}  // namespace oai::validate
