// SPDX-License-Identifier: MIT
#include "validate/report.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;
using Catch::Matchers::Contains;
using validate::Outcome;
using validate::Verdict;

namespace {

std::vector<Outcome> some() {
    const validate::Group& group = validate::groups()[0];
    const auto check = [&](std::size_t i) { return &group.checks[i]; };
    return {{&group, check(0), Verdict::pass},
            {&group, check(1), Verdict::fail, "<why> & \"how\"", "http://example.org/?verb=Identify", "\x1b[31m<error/>"},
            {&group, check(2), Verdict::warn, "a warning", "http://example.org/"},
            {&validate::groups()[1], &validate::groups()[1].checks[0], Verdict::skip, "no occasion"}};
}

}  // namespace

TEST_CASE("report: what is found is counted") {
    const validate::Counts counts = validate::count(some());
    CHECK(validate::summary(counts) == "4 checks: 1 passed, 1 failed, 1 warnings, 1 skipped");
    CHECK(counts.all() == 4);
}

TEST_CASE("report: lines for a terminal have evidence, and give it no orders") {
    const auto outcomes = some();
    CHECK_THAT(validate::lines(outcomes[0], false), Catch::StartsWith("  ok    "));
    const std::string failed = validate::lines(outcomes[1], false);
    CHECK_THAT(failed, Catch::StartsWith("  FAIL  ") && Contains("\n        <why> & \"how\"\n        http://example.org/?verb=Identify\n"));
    CHECK(failed.find('\x1b') == std::string::npos);
    CHECK_THAT(validate::lines(outcomes[1], true), Contains("\x1b[1;31mFAIL"));
}

TEST_CASE("report: JUnit XML is XML, and a warning fails where it is strict") {
    xml::initialise();
    for (const bool strict : {false, true}) {
        const std::string report = validate::junit(some(), "http://example.org/?a&b", strict);
        CHECK_NOTHROW(xml::parse_memory(report, "junit"));
        CHECK_THAT(report, Contains(strict ? "tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\"" : "tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
        CHECK_THAT(report, Contains("message=\"&lt;why&gt; &amp; &quot;how&quot;\" type=\"must\""));
        CHECK_THAT(report, Contains(strict ? "type=\"should\"" : "<system-out>a warning"));
    }
}
