// SPDX-License-Identifier: MIT
#include "tools/validate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "protocol/record.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/push_parser.h"

namespace oai::validate {
namespace {

constexpr const char* kIndent = "        ";

struct VerdictStyle {
    const char* word;
    const char* colour;  // an ANSI sequence
};

VerdictStyle style_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass: return {"ok", "\x1b[32m"};
        case Verdict::note: return {"note", "\x1b[36m"};
        case Verdict::warn: return {"warn", "\x1b[33m"};
        case Verdict::fail: return {"FAIL", "\x1b[1;31m"};
        case Verdict::skip: return {"skip", "\x1b[2m"};
    }
    return {"", ""};
}

// The lines as they stand below a check.
std::string indented(const std::string& words) {
    std::string out;
    for (const std::string_view line : text::split(words, '\n'))
        if (!line.empty()) out += kIndent + text::to_terminal_text(line) + "\n";
    return out;
}

std::string attribute(std::string_view name, std::string_view value) {
    std::string out = " " + std::string(name) + "=\"";
    xml::append_attribute(out, value);
    return out + '"';
}

std::string evidence(const Outcome& outcome) {
    std::string text = outcome.why;
    if (!outcome.request.empty()) text += "\n" + outcome.request;
    if (!outcome.excerpt.empty()) text += "\n" + outcome.excerpt;
    return text;
}

std::string_view finding_word(Verdict verdict) {
    return verdict == Verdict::warn ? "warning" : verdict == Verdict::note ? "note" : "error";
}

std::string element(std::string_view name, const std::string& attributes, const std::string& text) {
    std::string out = "      <" + std::string(name) + attributes + ">";
    xml::append_text(out, text);
    return out + "</" + std::string(name) + ">\n";
}

bool counts_as_failure(const Outcome& outcome, bool strict) {
    return outcome.verdict == Verdict::fail || (strict && outcome.verdict == Verdict::warn);
}

std::string test_case(const Outcome& outcome, bool strict) {
    const std::string_view group = outcome.check->id.substr(0, outcome.check->id.find('.'));
    std::string out =
        "    <testcase" + attribute("classname", "oai-pmh." + std::string(group)) +
        attribute("name", fmt::format("{}: {}", outcome.check->id, outcome.check->title));
    if (outcome.verdict == Verdict::pass) return out + "/>\n";
    out += ">\n";
    if (outcome.verdict == Verdict::skip)
        out += "      <skipped" + attribute("message", outcome.why) + "/>\n";
    else if (counts_as_failure(outcome, strict))
        out += element("failure",
                       attribute("message", outcome.why) +
                           attribute("type", severity_name(outcome.check->demand.severity)),
                       print_place(outcome.check->demand) + "\n" + evidence(outcome));
    else
        out += element("system-out", "",
                       fmt::format("{}: {}", finding_word(outcome.verdict), evidence(outcome)));
    return out + "    </testcase>\n";
}

std::string totals(const std::vector<Outcome>& outcomes, bool strict) {
    const auto failed = std::count_if(
        outcomes.begin(), outcomes.end(),
        [&](const Outcome& o) { return counts_as_failure(o, strict); });
    const auto skipped = std::count_if(outcomes.begin(), outcomes.end(),
                                       [](const Outcome& o) { return o.verdict == Verdict::skip; });
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", outcomes.size(),
                       failed, skipped);
}

}  // namespace

Counts count(const std::vector<Outcome>& outcomes) {
    Counts counts;
    for (const Outcome& outcome : outcomes) {
        if (outcome.verdict == Verdict::pass) ++counts.passed;
        if (outcome.verdict == Verdict::fail) ++counts.failed;
        if (outcome.verdict == Verdict::warn) ++counts.warned;
        if (outcome.verdict == Verdict::note) ++counts.noted;
        if (outcome.verdict == Verdict::skip) ++counts.skipped;
    }
    return counts;
}

std::string_view severity_name(Severity severity) {
    return severity == Severity::must ? "must" : severity == Severity::should ? "should" : "advice";
}

std::string_view verdict_name(Verdict verdict) {
    constexpr std::string_view kNames[] = {"pass", "note", "warn", "fail", "skip"};
    return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<FindingGroup> group_findings(const std::vector<Outcome>& outcomes) {
    std::vector<FindingGroup> found;
    for (const Outcome& outcome : outcomes) {
        if (!is_finding(outcome)) continue;
        const Demand* demand = &outcome.check->demand;
        const auto same = std::find_if(found.begin(), found.end(),
                                       [&](const auto& group) { return group.demand == demand; });
        FindingGroup& group =
            same == found.end() ? found.emplace_back(FindingGroup{demand, {}}) : *same;
        group.outcomes.push_back(&outcome);
    }
    std::sort(found.begin(), found.end(), [](const FindingGroup& a, const FindingGroup& b) {
        return a.demand->severity != b.demand->severity ? a.demand->severity < b.demand->severity
                                                        : comes_before(*a.demand, *b.demand);
    });
    return found;
}

std::string line(const Outcome& outcome, bool coloured) {
    const VerdictStyle style = style_of(outcome.verdict);
    std::string out =
        fmt::format("  {}{:<6}{}{:<32}{}\n", coloured ? style.colour : "", style.word,
                    coloured ? "\x1b[0m" : "", outcome.check->id, outcome.check->title);
    return outcome.verdict == Verdict::skip ? out + indented(outcome.why) : out;
}

std::string findings(const std::vector<Outcome>& outcomes, bool coloured) {
    std::string out;
    const Demand* last = nullptr;
    for (const FindingGroup& group : group_findings(outcomes)) {
        if (last == nullptr || last->severity != group.demand->severity)
            out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                               severity_title(group.demand->severity));
        last = group.demand;
        out += fmt::format("\n{}: {}\n", print_place(*last), last->words);
        for (const Outcome* outcome : group.outcomes)
            out += line(*outcome, coloured) + indented(evidence(*outcome));
    }
    return out;
}

std::string_view severity_title(Severity severity) {
    return severity == Severity::must     ? "Errors: what must be"
           : severity == Severity::should ? "Warnings: what should be"
                                          : "Notes: our advice";
}

std::string summary(const Counts& c) {
    return fmt::format("{} checks: {} passed, {} failed, {} warnings, {} notes, {} skipped",
                       c.all(), c.passed, c.failed, c.warned, c.noted, c.skipped);
}

std::string junit_name(std::string_view base_url) {
    return "OAI-PMH 2.0: " + std::string(base_url);
}

std::string junit(const std::vector<Outcome>& outcomes, std::string_view base_url, bool strict,
                  Seconds made) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                      attribute("name", junit_name(base_url)) +
                      attribute("timestamp", print_datestamp(made)) + totals(outcomes, strict) +
                      ">\n";
    for (const Group& group : groups()) {
        std::vector<Outcome> own;
        std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(own),
                     [&](const Outcome& o) { return o.group == &group; });
        if (own.empty()) continue;
        out += "  <testsuite" + attribute("name", group.name) + totals(own, strict) + ">\n";
        for (const Outcome& outcome : own) out += test_case(outcome, strict);
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

namespace {

bool is_found(Verdict verdict) { return verdict != Verdict::pass && verdict != Verdict::skip; }

// By what stands in a <testcase>; a warning that counted as a failure has its severity as type.
Verdict verdict_of(const xmlNode* testcase) {
    for (const xmlNode* n = testcase->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        const std::string_view name = xml::name_of(n);
        if (name == "skipped") return Verdict::skip;
        if (name == "failure")
            return xml::attribute_of(n, "type") == "must" ? Verdict::fail : Verdict::warn;
        if (name == "system-out")
            return xml::text_of(n).starts_with("note: ") ? Verdict::note : Verdict::warn;
    }
    return Verdict::pass;
}

void read_cases(const xmlNode* parent, PastReport& report) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        if (xml::name_of(n) == "testsuite") read_cases(n, report);
        if (xml::name_of(n) != "testcase") continue;
        const std::string name = xml::attribute_of(n, "name");
        report.verdicts.emplace(name.substr(0, name.find(':')), verdict_of(n));
    }
}

}  // namespace

PastReport read_junit(std::string_view text) {
    const xml::DocumentHandle document = xml::parse_memory(text, "report");
    const xmlNode* root = xmlDocGetRootElement(document.get());
    PastReport report{.name = xml::attribute_of(root, "name"),
                      .made = xml::attribute_of(root, "timestamp"),
                      .verdicts = {}};
    if (xml::name_of(root) == "testsuites") read_cases(root, report);
    if (report.verdicts.empty()) throw std::runtime_error("no report by oai validate --junit");
    return report;
}

Changes compare(const PastReport& past, const std::vector<Outcome>& outcomes) {
    Changes changes;
    for (const Outcome& outcome : outcomes) {
        const auto then = past.verdicts.find(outcome.check->id);
        const bool was_judged = then != past.verdicts.end() && then->second != Verdict::skip;
        const bool was_found = was_judged && is_found(then->second);
        if (is_finding(outcome))
            (was_found    ? changes.same
             : was_judged ? changes.worse
                          : changes.fresh)
                .push_back(&outcome);
        else if (was_found)
            (outcome.verdict == Verdict::pass ? changes.mended : changes.unknown)
                .push_back(&outcome);
    }
    return changes;
}

std::vector<ChangeList> change_lists(const Changes& changes) {
    return {{"Worse", &changes.worse},
            {"Not judged then", &changes.fresh},
            {"Mended", &changes.mended},
            {"Not judged this time", &changes.unknown},
            {"As before", &changes.same}};
}

std::string print_changes(const PastReport& past, const Changes& changes) {
    const std::string made = text::to_terminal_text(past.made);
    std::string out = fmt::format("Since {}{}\n", made.empty() ? "the earlier report" : made,
                                  changes.any() ? "" : ": nothing has changed");
    for (const ChangeList& list : change_lists(changes))
        for (const Outcome* outcome : *list.outcomes)
            out += fmt::format("  {:<22}{:<32}{}\n", text::lower_ascii(list.title),
                               outcome->check->id, outcome->check->title);
    return out;
}

}  // namespace oai::validate
