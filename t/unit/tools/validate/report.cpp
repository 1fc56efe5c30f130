// SPDX-License-Identifier: MIT
#include "tools/validate/report.h"

#include "base/text.h"
#include "t/lib/unit_headers.h"

using validate::Outcome, validate::Verdict;

namespace {

const validate::Check& check_of(std::string_view id) {
    for (const validate::Group& group : validate::groups())
        for (const validate::Check& check : group.checks)
            if (check.id == id) return check;
    throw std::logic_error("there is no check " + std::string(id));
}

std::vector<Outcome> some() {
    const validate::Group& group = validate::groups()[0];
    const auto check = [&](std::size_t i) { return &group.checks[i]; };
    return {
        {&group, check(0), Verdict::pass},
        {&group, check(1), Verdict::fail, "<why> & \"how\"", "http://example.org/?verb=Identify",
         "\x1b[31m<error/>"},
        {&group, &check_of("http.vary"), Verdict::warn, "a warning", "http://example.org/"},
        {&validate::groups()[1], &validate::groups()[1].checks[0], Verdict::skip, "no occasion"}};
}

}  // namespace

TEST_CASE("report: verdicts are counted") {
    const validate::Counts counts = validate::count(some());
    CHECK(validate::summary(counts) ==
          "4 checks: 1 passed, 1 failed, 1 warnings, 0 notes, 1 skipped");
    CHECK(counts.all() == 4);
}

TEST_CASE("report: lines for a terminal have evidence and no control characters") {
    const auto outcomes = some();
    CHECK_THAT(validate::line(outcomes[0], false), StartsWith("  ok    "));
    CHECK_THAT(validate::line(outcomes[3], false), Contains("\n        no occasion\n"));
    CHECK_THAT(validate::line(outcomes[1], false), !Contains("why"));
    CHECK_THAT(validate::line(outcomes[1], true), Contains("\x1b[1;31mFAIL"));
    const std::string found = validate::findings(outcomes, false);
    CHECK_THAT(
        found,
        Contains("\n  FAIL  ") &&
            Contains("\n        <why> & \"how\"\n        http://example.org/?verb=Identify\n"));
    const validate::Demand& demand = outcomes[1].check->demand;
    CHECK_THAT(found, Contains("whom it hurts: " + std::string(demand.harm)) &&
                          Contains("how to mend it: " + std::string(demand.advice)));
    CHECK_THAT(found, !Contains("\x1b"));
    CHECK(validate::findings({outcomes[0], outcomes[3]}, false).empty());
}

TEST_CASE("report: findings stand below the sentence that they violate, errors first") {
    const validate::Group& group = validate::groups()[0];
    std::vector<Outcome> outcomes;
    for (const auto& [id, verdict] :
         std::vector<std::pair<const char*, Verdict>>{{"http.quick", Verdict::note},
                                                      {"date.year", Verdict::fail},
                                                      {"record.identifier", Verdict::fail},
                                                      {"http.vary", Verdict::warn},
                                                      {"date.fraction", Verdict::fail},
                                                      {"verb.case", Verdict::pass}})
        outcomes.push_back({&group, &check_of(id), verdict, "why", "request"});
    std::string heads;  // the lines that are not indented, and the checks
    const std::string found = validate::findings(outcomes, false);
    for (const std::string_view line : text::split(found, '\n'))
        if (!line.empty() && !line.starts_with("    ") && !line.starts_with("  whom") &&
            !line.starts_with("  how"))
            heads.append(line.substr(0, line.find(line[0] == ' ' ? "  the " : ": "))).append("\n");
    CHECK_THAT(heads, StartsWith("Errors\nOAI-PMH 2.0, 2.4, paragraph 2\n  FAIL  record.id"));
    CHECK_THAT(heads, Contains("\nOAI-PMH 2.0, 3.3.1, paragraph 1\n  FAIL  date.year ") &&
                          Contains("\nWarnings\nHTTP, RFC 9110, 12.5.5\n  warn  http.vary") &&
                          Contains("\nNotes\nadvice\n  note  http.quick"));
    CHECK_THAT(heads, !Contains("verb.case"));
    const auto year = heads.find("date.year"), fraction = heads.find("date.fraction");
    CHECK_THAT(heads.substr(year, fraction - year), !Contains("OAI-PMH"));
}
