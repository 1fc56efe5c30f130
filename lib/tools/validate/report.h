// SPDX-License-Identifier: MIT
// The results of a conformance test: for people on a terminal and as a web page, and for machines
// as JUnit XML; and what has changed since an earlier report. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/check.h"

namespace oai::validate {

struct Counts {
    int passed = 0, failed = 0, warned = 0, noted = 0, skipped = 0;
    int all() const { return passed + failed + warned + noted + skipped; }
};
Counts count(const std::vector<Outcome>& outcomes);

std::string_view severity_name(Severity severity);

// A line for the check, and why if it was skipped; coloured by ANSI sequences.
std::string line(const Outcome& outcome, bool coloured);
// What was found, each sentence with what violates it and the evidence; "" if nothing was.
std::string findings(const std::vector<Outcome>& outcomes, bool coloured);

// "131 checks: 119 passed, 1 failed, 2 warnings, 1 notes, 8 skipped"
std::string summary(const Counts& counts);

// <testsuites>: a suite for each group, a case for each check. A warning is a failure if `strict`;
// otherwise the case passes and the warning is in <system-out>.
std::string junit(const std::vector<Outcome>& outcomes, std::string_view base_url, bool strict,
                  Seconds made);
// The name that the report has in it.
std::string junit_name(std::string_view base_url);

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

// "Since TIME" and a line for each change, for a terminal.
std::string print_changes(const PastReport& past, const Changes& changes);

// The style of that page, report.css; defined by what lib/tools/validate/embed generates.
extern const std::string_view report_style;

// A page of HTML to be sent to the manager of the repository: below each sentence that is violated,
// whom that hurts, how to mend it, and the evidence. It is complete in itself: it has no script,
// loads nothing, and links only within itself. Values from the repository are escaped. `made`: the
// time of the test.
// `since`: an earlier report to be compared with, or nullptr.
std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made,
                 const PastReport* since = nullptr);

}  // namespace oai::validate
