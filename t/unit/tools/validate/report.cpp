// SPDX-License-Identifier: MIT
#include "tools/validate/report.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/text.h"
#include "protocol/record.h"
#include "xml/document.h"

using namespace oai;
using Catch::Matchers::Contains;
using validate::Outcome;
using validate::Verdict;

namespace {

const Seconds kMade = parse_datestamp("2024-05-01T12:00:00Z")->first;

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
    CHECK_THAT(validate::line(outcomes[0], false), Catch::StartsWith("  ok    "));
    CHECK_THAT(validate::line(outcomes[3], false), Contains("\n        no occasion\n"));
    CHECK(validate::line(outcomes[1], false).find("why") == std::string::npos);
    CHECK_THAT(validate::line(outcomes[1], true), Contains("\x1b[1;31mFAIL"));
    const std::string found = validate::findings(outcomes, false);
    CHECK_THAT(
        found,
        Contains("\n  FAIL  ") &&
            Contains("\n        <why> & \"how\"\n        http://example.org/?verb=Identify\n"));
    CHECK(found.find('\x1b') == std::string::npos);
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
        if (!line.empty() && !line.starts_with("    "))
            heads.append(line.substr(0, line.find(line[0] == ' ' ? "  the " : ": "))).append("\n");
    CHECK_THAT(heads,
               Catch::StartsWith("Errors\nOAI-PMH 2.0, 2.4, paragraph 2\n  FAIL  record.id"));
    CHECK_THAT(heads, Contains("\nOAI-PMH 2.0, 3.3.1, paragraph 1\n  FAIL  date.year ") &&
                          Contains("\nWarnings\nHTTP, RFC 9110, 12.5.5\n  warn  http.vary") &&
                          Contains("\nNotes\nadvice\n  note  http.quick"));
    CHECK(heads.find("verb.case") == std::string::npos);
    const auto year = heads.find("date.year"), fraction = heads.find("date.fraction");
    CHECK(heads.substr(year, fraction - year).find("OAI-PMH") == std::string::npos);
}

TEST_CASE("report: a page of HTML is complete, escaped, and loads nothing") {
    const std::string page = validate::html(some(), "http://example.org/?a&<b>", kMade);
    CHECK_THAT(page, Catch::StartsWith("<!DOCTYPE html>") && Catch::EndsWith("</html>\n"));
    CHECK_THAT(page, Contains("<h1>Conformance of http://example.org/?a&amp;&lt;b&gt; to"));
    CHECK_THAT(page, Contains("<dt>Base URL</dt><dd>http://example.org/?a&amp;&lt;b&gt;</dd>\n"
                              "<dt>Tested</dt><dd><time datetime=\"2024-05-01T12:00:00Z\">"
                              "2024-05-01T12:00:00Z</time></dd>\n<dt>Errors</dt><dd>1</dd>\n"
                              "<dt>Warnings</dt><dd>1</dd>\n<dt>Notes</dt><dd>0</dd>\n<dt>Skipped</"
                              "dt><dd>1</dd>\n<dt>Passed</dt><dd>1</dd>"));
    CHECK_THAT(page, Contains("<bdi>&lt;why&gt; &amp; \"how\"</bdi><br><code dir=\"ltr\">"
                              "http://example.org/?verb=Identify</code><pre dir=\"ltr\">\uFFFD[31m"
                              "&lt;error/&gt;</pre>"));
    const validate::Check& check = *some()[1].check;
    CHECK_THAT(page,
               Contains("<h3>" + print_place(check.demand) + "</h3>\n<blockquote>" +
                        std::string(check.demand.words) + "</blockquote>") &&
                   Contains("<dt>Whom it hurts</dt><dd>" + std::string(check.demand.harm)) &&
                   Contains("<dt>How to mend it</dt><dd>" + std::string(check.demand.advice)) &&
                   Contains("<strong class=\"fail\">Error</strong>: ") &&
                   Contains(" <code class=\"id\">" + std::string(check.id) + "</code>"));
    CHECK_THAT(page, Contains("<a href=\"#errors\">") && Contains("<h2 id=\"errors\">Errors: "));
    CHECK_THAT(page, !Contains("#notes") && !Contains("Nothing was found"));
    CHECK_THAT(validate::html({some()[0]}, "http://example.org/", kMade),
               Contains("Nothing was found"));
    CHECK_THAT(page, !Contains("<script") && !Contains(" src=") && !Contains("href=\"http") &&
                         !Contains("url("));
}

TEST_CASE("report: JUnit XML is XML, and a warning fails where it is strict") {
    for (const bool strict : {false, true}) {
        const std::string report =
            validate::junit(some(), "http://example.org/?a&b", strict, kMade);
        CHECK_NOTHROW(xml::parse_memory(report, "junit"));
        CHECK_THAT(report,
                   Contains(strict ? "tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""
                                   : "tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
        CHECK_THAT(report, Contains("message=\"&lt;why&gt; &amp; &quot;how&quot;\" type=\"must\""));
        CHECK_THAT(report, Contains(strict ? "type=\"should\"" : "<system-out>warning: a warning"));
    }
}
