// SPDX-License-Identifier: MIT
#include "tools/validate/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal.h"
#include "base/text.h"

namespace oai::validate {
namespace {

constexpr const char* kIndent = "        ";

struct VerdictStyle {
    const char* word;
    const char* colour;  // an ANSI sequence
};
// By verdict.
constexpr VerdictStyle kStyles[] = {{"ok", "\x1b[32m"},
                                    {"note", "\x1b[36m"},
                                    {"warn", "\x1b[33m"},
                                    {"FAIL", "\x1b[1;31m"},
                                    {"skip", "\x1b[2m"}};

const VerdictStyle& style_of(Verdict verdict) { return kStyles[static_cast<std::size_t>(verdict)]; }

std::string_view severity_title(Severity severity) {
    return severity == Severity::must     ? "Errors: what must be"
           : severity == Severity::should ? "Warnings: what should be"
                                          : "Notes: our advice";
}

// The findings that rest on the same sentence.
struct FindingGroup {
    const Demand* demand;
    std::vector<const Outcome*> outcomes;
};

// Groups the findings by the force of the sentences, then by their order in demands.txt.
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

// Indents the lines for printing below a check.
std::string indented(const std::string& words) {
    std::string out;
    for (const std::string_view line : text::split(words, '\n'))
        if (!line.empty()) out += kIndent + text::to_terminal_text(line) + "\n";
    return out;
}

std::string evidence(const Outcome& outcome) {
    std::string text = outcome.why;
    if (!outcome.request.empty()) text += "\n" + outcome.request;
    if (!outcome.excerpt.empty()) text += "\n" + outcome.excerpt;
    return text;
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

std::string line(const Outcome& outcome, bool coloured) {
    const VerdictStyle& style = style_of(outcome.verdict);
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
        out += fmt::format("\n{}: {}\n  whom it hurts: {}\n  how to mend it: {}\n",
                           print_place(*last), last->words, last->harm, last->advice);
        for (const Outcome* outcome : group.outcomes)
            out += line(*outcome, coloured) + indented(evidence(*outcome));
    }
    return out;
}

std::string summary(const Counts& c) {
    return fmt::format("{} checks: {} passed, {} failed, {} warnings, {} notes, {} skipped",
                       c.all(), c.passed, c.failed, c.warned, c.noted, c.skipped);
}

}  // namespace oai::validate
