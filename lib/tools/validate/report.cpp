// SPDX-License-Identifier: MIT
#include "tools/validate/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/record.h"
#include "xml/escape.h"

namespace oai::validate {
namespace {

constexpr const char* kIndent = "        ";

struct VerdictStyle {
    const char* word;    // in the lines
    const char* colour;  // an ANSI sequence
    const char* name;    // in the page, of the class and for people
    const char* title;
    const char* finding;  // in JUnit XML
};
// By verdict.
constexpr VerdictStyle kStyles[] = {{"ok", "\x1b[32m", "pass", "Passed", ""},
                                    {"note", "\x1b[36m", "note", "Note", "note"},
                                    {"warn", "\x1b[33m", "warn", "Warning", "warning"},
                                    {"FAIL", "\x1b[1;31m", "fail", "Error", "error"},
                                    {"skip", "\x1b[2m", "skip", "Skipped", ""}};

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

// What was found, by the force of the sentences, those that must be kept first, and then by their
// order in demands.txt.
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
                       fmt::format("{}: {}", style_of(outcome.verdict).finding, evidence(outcome)));
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

// The report as a page for the manager of a repository, to be sent or put on the web. It has the
// look of the pages for people, but its style is its own, so that it needs no file beside it.

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>)";

std::string escaped_text(std::string_view value) {
    std::string out;
    xml::append_text(out, value);
    return out;
}

std::string fact(std::string_view name, std::string_view value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped_text(value));
}

std::string list_item(const Outcome& outcome) {
    const Check& check = *outcome.check;
    std::string out =
        fmt::format("<li><strong class=\"{}\">{}</strong>: {} <code class=\"id\">{}</code>",
                    style_of(outcome.verdict).name, style_of(outcome.verdict).title,
                    escaped_text(check.title), escaped_text(check.id));
    if (!outcome.why.empty()) out += "<br><bdi>" + escaped_text(outcome.why) + "</bdi>";
    if (!outcome.request.empty())
        out += "<br><code dir=\"ltr\">" + escaped_text(outcome.request) + "</code>";
    if (!outcome.excerpt.empty())
        out += "<pre dir=\"ltr\">" + escaped_text(outcome.excerpt) + "</pre>";
    return out + "</li>\n";
}

std::string article(const FindingGroup& group) {
    const Demand& demand = *group.demand;
    std::string out = "<article>\n<h3>" + escaped_text(print_place(demand)) + "</h3>\n";
    out += "<blockquote>" + escaped_text(demand.words) + "</blockquote>\n<dl>\n";
    out += fact("Whom it hurts", demand.harm) + fact("How to mend it", demand.advice) + "</dl>\n";
    out += "<ul>\n";
    for (const Outcome* outcome : group.outcomes) out += list_item(*outcome);
    return out + "</ul>\n</article>\n";
}

// A section of the page: its content, and the link to it.
class Sections {
  public:
    void add(std::string_view id, std::string_view title, const std::string& content) {
        if (content.empty()) return;
        links_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, title);
        text_ +=
            fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", id, title) +
            content + "</section>\n";
    }
    const std::string& links() const { return links_; }
    const std::string& text() const { return text_; }

  private:
    std::string links_, text_;
};

std::string articles(const std::vector<Outcome>& outcomes, Severity severity) {
    std::string out;
    for (const FindingGroup& group : group_findings(outcomes))
        if (group.demand->severity == severity) out += article(group);
    return out;
}

std::string list(const std::vector<Outcome>& outcomes, Verdict verdict) {
    std::string items;
    for (const Outcome& outcome : outcomes)
        if (outcome.verdict == verdict) items += list_item(outcome);
    return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

std::string introduction(const Counts& counts) {
    std::string out =
        "<p>This repository was asked as harvesters ask it, and its answers were compared with "
        "what OAI-PMH 2.0 says. What must be and is not is an error; what should be, a warning; "
        "what only helps, a note. Each stands below the sentence that it rests on, with whom it "
        "hurts and how to mend it.</p>\n";
    return counts.failed + counts.warned + counts.noted > 0 ? out
                                                            : out + "<p>Nothing was found.</p>\n";
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
        out += fmt::format("\n{}: {}\n", print_place(*last), last->words);
        for (const Outcome* outcome : group.outcomes)
            out += line(*outcome, coloured) + indented(evidence(*outcome));
    }
    return out;
}

std::string summary(const Counts& c) {
    return fmt::format("{} checks: {} passed, {} failed, {} warnings, {} notes, {} skipped",
                       c.all(), c.passed, c.failed, c.warned, c.noted, c.skipped);
}

std::string junit(const std::vector<Outcome>& outcomes, std::string_view base_url, bool strict,
                  Seconds made) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                      attribute("name", "OAI-PMH 2.0: " + std::string(base_url)) +
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

std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made) {
    const std::string title = "Conformance of " + escaped_text(base_url) + " to OAI-PMH 2.0";
    Sections sections;
    sections.add("errors", severity_title(Severity::must), articles(outcomes, Severity::must));
    sections.add("warnings", severity_title(Severity::should),
                 articles(outcomes, Severity::should));
    sections.add("notes", severity_title(Severity::advice), articles(outcomes, Severity::advice));
    sections.add("skipped", "Skipped: what does not apply", list(outcomes, Verdict::skip));
    sections.add("passed", "Passed: what is as it should be", list(outcomes, Verdict::pass));
    const Counts counts = count(outcomes);
    std::string out(kHead);
    out.append("\n").append(report_style).append("</style>\n");
    out +=
        "<title>" + title + "</title>\n</head>\n<body>\n<header>\n<h1>" + title + "</h1>\n<dl>\n";
    out += fact("Base URL", base_url);
    out += fmt::format("<dt>Tested</dt><dd><time datetime=\"{0}\">{0}</time></dd>\n",
                       print_datestamp(made));
    for (const auto& [name, n] : {std::pair("Errors", counts.failed),
                                  {"Warnings", counts.warned},
                                  {"Notes", counts.noted},
                                  {"Skipped", counts.skipped},
                                  {"Passed", counts.passed}})
        out += fact(name, std::to_string(n));
    out += "</dl>\n" + introduction(counts);
    out += "<nav aria-label=\"Contents\">\n<ul>\n" + sections.links() + "</ul>\n</nav>\n";
    out += "</header>\n<main>\n" + sections.text() + "</main>\n";
    return out + "<footer><p>Made by oai validate.</p></footer>\n</body>\n</html>\n";
}

}  // namespace oai::validate
