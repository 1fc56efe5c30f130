// SPDX-License-Identifier: MIT
#include "tools/validate/since.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/text.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::validate {
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
