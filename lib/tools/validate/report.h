// SPDX-License-Identifier: MIT
// The results of a conformance test, for people on a terminal. Pure.
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
// The violated sentences, each with harm, advice, violations and evidence; "": none.
std::string findings(const std::vector<Outcome>& outcomes, bool coloured);

// "131 checks: 119 passed, 1 failed, 2 warnings, 1 notes, 8 skipped"
std::string summary(const Counts& counts);

}  // namespace oai::validate
