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
    int passed = 0, failed = 0, warned = 0, skipped = 0;
    int all() const { return passed + failed + warned + skipped; }
};
Counts count(const std::vector<Outcome>& outcomes);

std::string_view severity_name(Severity severity);
std::string_view verdict_name(Verdict verdict);  // "pass", "warn", "fail", "skip"

// A line for the check, followed by lines of evidence; coloured by ANSI sequences.
std::string lines(const Outcome& outcome, bool coloured);

// "131 checks: 120 passed, 1 failed, 2 warnings, 8 skipped"
std::string summary(const Counts& counts);

// <testsuites>: a suite for each group, a case for each check. A warning is a failure if `strict`;
// otherwise the case passes and the warning is in <system-out>.
std::string junit(const std::vector<Outcome>& outcomes, std::string_view base_url, bool strict);

// A page of HTML that is complete in itself: it has no script, loads nothing, and links only within
// itself. Values from the repository are escaped. `made`: the time of the test.
std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made);

}  // namespace oai::validate
