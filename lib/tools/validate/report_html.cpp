// SPDX-License-Identifier: MIT
// The report as a page for the manager of a repository, to be sent or put on the web. It has the
// look of the pages for people, but its style is its own, so that it needs no file beside it.
#include <fmt/format.h>

#include "protocol/record.h"
#include "tools/validate/report.h"
#include "xml/escape.h"

namespace oai::validate {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root {
    color-scheme: light dark;
    --ground: #ffffff; --text: #1c1c1c; --aside: #595959; --line: #c9c9c9; --raised: #f3f4f6;
    --bad: #a31515; --good: #1b5e20;
}
@media (prefers-color-scheme: dark) {
    :root {
        --ground: #16181c; --text: #e8e8e8; --aside: #b3b3b3; --line: #4a4d54; --raised: #22252b;
        --bad: #ff9a92; --good: #9be0a2;
    }
}
body {
    margin: 0 auto; max-width: 75rem; padding: 0 1rem;
    background: var(--ground); color: var(--text);
    font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 1.5rem 0 .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
nav a { display: inline-block; min-height: 1.75rem; color: inherit; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
article { border-top: 1px solid var(--line); }
blockquote { margin: .25rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: .5rem 0; }
dt { color: var(--aside); }
dd { margin: 0; }
li { padding: .125rem 0; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre {
    background: var(--raised); border: 1px solid var(--line); margin: .25rem 0; padding: .5rem;
    white-space: pre-wrap;
}
.id { color: var(--aside); }
.pass { color: var(--good); }
.fail, .warn { color: var(--bad); }
.note, .skip { color: var(--aside); }
</style>
)";

std::string_view word_of(Verdict verdict) {
    constexpr std::string_view kWords[] = {"Passed", "Note", "Warning", "Error", "Skipped"};
    return kWords[static_cast<std::size_t>(verdict)];
}

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
                    verdict_name(outcome.verdict), word_of(outcome.verdict),
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

std::string changed(const PastReport* since, const std::vector<Outcome>& outcomes) {
    if (since == nullptr) return "";
    const Changes changes = compare(*since, outcomes);
    std::string out = "<p>Compared with the report of " + escaped_text(since->made) +
                      (changes.any() ? ".</p>\n<dl>\n" : ": nothing has changed.</p>\n<dl>\n");
    for (const ChangeList& list : change_lists(changes)) {
        std::string ids;
        for (const Outcome* outcome : *list.outcomes)
            ids.append(ids.empty() ? "" : ", ").append(outcome->check->id);
        if (!ids.empty()) out += fact(list.title, ids);
    }
    return out + "</dl>\n";
}

std::string introduction(const Counts& counts) {
    std::string out =
        "<p>This repository was asked as harvesters ask it, and its answers were compared with "
        "what "
        "OAI-PMH 2.0 says. What must be and is not is an error; what should be, a warning; what "
        "only "
        "helps, a note. Each stands below the sentence that it rests on, with whom it hurts and "
        "how "
        "to mend it.</p>\n";
    return counts.failed + counts.warned + counts.noted > 0 ? out
                                                            : out + "<p>Nothing was found.</p>\n";
}

}  // namespace

std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made,
                 const PastReport* since) {
    const std::string title = "Conformance of " + escaped_text(base_url) + " to OAI-PMH 2.0";
    Sections sections;
    sections.add("changes", "What has changed", changed(since, outcomes));
    sections.add("errors", severity_title(Severity::must), articles(outcomes, Severity::must));
    sections.add("warnings", severity_title(Severity::should),
                 articles(outcomes, Severity::should));
    sections.add("notes", severity_title(Severity::advice), articles(outcomes, Severity::advice));
    sections.add("skipped", "Skipped: what does not apply", list(outcomes, Verdict::skip));
    sections.add("passed", "Passed: what is as it should be", list(outcomes, Verdict::pass));
    const Counts counts = count(outcomes);
    std::string out(kHead);
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
