// SPDX-License-Identifier: MIT
// The report as a page to be put on the web. It has the look of the pages for people, but its style
// is its own, so that it needs no file beside it.
#include <fmt/format.h>

#include "protocol/datestamp.h"
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
    margin: 0 auto; max-width: 75rem; padding: 0 1rem; background: var(--ground); color: var(--text);
    font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 1.5rem 0 .5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }
nav a { display: inline-block; min-height: 1.75rem; color: inherit; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
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
    constexpr std::string_view kWords[] = {"Passed", "Note", "Warning", "Failed", "Skipped"};
    return kWords[static_cast<std::size_t>(verdict)];
}

std::string escaped_text(std::string_view value) {
    std::string out;
    xml::append_text(out, value);
    return out;
}

std::string fact(std::string_view name, int value) {
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value);
}

std::string list_item(const Outcome& outcome) {
    const Check& check = *outcome.check;
    std::string out = fmt::format(
        "<li><strong class=\"{}\">{}</strong>: {} ({}) <code class=\"id\">{}</code>",
        verdict_name(outcome.verdict), word_of(outcome.verdict), escaped_text(check.title),
        escaped_text(print_place(check.demand)), escaped_text(check.id));
    if (!outcome.why.empty()) out += "<br><bdi>" + escaped_text(outcome.why) + "</bdi>";
    if (!outcome.request.empty())
        out += "<br><code dir=\"ltr\">" + escaped_text(outcome.request) + "</code>";
    if (!outcome.excerpt.empty())
        out += "<pre dir=\"ltr\">" + escaped_text(outcome.excerpt) + "</pre>";
    return out + "</li>\n";
}

std::string list_items(const std::vector<Outcome>& outcomes, const Group& group) {
    std::string items;
    for (const Outcome& outcome : outcomes)
        if (outcome.group == &group) items += list_item(outcome);
    return items;
}

}  // namespace

std::string html(const std::vector<Outcome>& outcomes, std::string_view base_url, Seconds made) {
    const std::string title = "Conformance of " + escaped_text(base_url) + " to OAI-PMH 2.0";
    std::string links, sections;
    for (const Group& group : groups()) {
        const std::string items = list_items(outcomes, group);
        if (items.empty()) continue;
        const std::string name = escaped_text(group.name);
        const auto number = &group - groups().data() + 1;
        links += fmt::format("<li><a href=\"#group-{}\">{}</a></li>\n", number, name);
        sections +=
            fmt::format("<section aria-labelledby=\"group-{0}\">\n<h2 id=\"group-{0}\">{1}</h2>\n",
                        number, name) +
            "<ul>\n" + items + "</ul>\n</section>\n";
    }
    const Counts counts = count(outcomes);
    std::string out(kHead);
    out +=
        "<title>" + title + "</title>\n</head>\n<body>\n<header>\n<h1>" + title + "</h1>\n<dl>\n";
    out += fact("Passed", counts.passed) + fact("Failed", counts.failed) +
           fact("Warnings", counts.warned) + fact("Notes", counts.noted) +
           fact("Skipped", counts.skipped) + "</dl>\n";
    out += "<nav aria-label=\"Groups of checks\">\n<ul>\n" + links + "</ul>\n</nav>\n</header>\n";
    out += "<main>\n" + sections + "</main>\n";
    return out + fmt::format(
                     "<footer><p>Made by oai validate at <time datetime=\"{0}\">{0}</time>.</p>"
                     "</footer>\n</body>\n</html>\n",
                     print_datestamp(made));
}

}  // namespace oai::validate
