// SPDX-License-Identifier: MIT
// The results of a conformance test: for people on a terminal and as a web page, and for machines
// as JUnit XML. Pure.
#pragma once

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
// The style of that page, report.css; defined by what lib/tools/validate/embed generates.
extern const std::string_view report_style;

// A page of HTML to be sent to the manager of the repository: below each sentence that is violated,
// whom that hurts, how to mend it, and the evidence. It is complete in itself: it has no script,
// loads nothing, and links only within itself. Values from the repository are escaped. `made`: the
// time of the test.
std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made);

}  // namespace oai::validate
