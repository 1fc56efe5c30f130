// SPDX-License-Identifier: MIT
// The results of a conformance test: for people on a terminal and as a web page, and for machines
// as JUnit XML. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/check.h"
#include "tools/validate/since.h"

namespace oai::validate {

struct Counts {
    int passed = 0, failed = 0, warned = 0, noted = 0, skipped = 0;
    int all() const { return passed + failed + warned + noted + skipped; }
};
Counts count(const std::vector<Outcome>& outcomes);

std::string_view severity_name(Severity severity);
std::string_view severity_title(Severity severity);  // "Errors: what must be"
std::string_view verdict_name(Verdict verdict);      // "pass", "note", "warn", "fail", "skip"

// The findings that rest on the same sentence.
struct FindingGroup {
    const Demand* demand;
    std::vector<const Outcome*> outcomes;
};
// What was found, by the force of the sentences, those that must be kept first, and then by their
// order in the documents.
std::vector<FindingGroup> group_findings(const std::vector<Outcome>& outcomes);

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

// A page of HTML to be sent to the manager of the repository: below each sentence that is violated,
// whom that hurts, how to mend it, and the evidence. It is complete in itself: it has no script,
// loads nothing, and links only within itself. Values from the repository are escaped. `made`: the
// time of the test.
// `since`: an earlier report to be compared with, or nullptr.
std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made,
                 const PastReport* since = nullptr);

}  // namespace oai::validate
