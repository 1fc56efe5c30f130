// SPDX-License-Identifier: MIT
// The trees of sets, one level opened at a time: ?set= the one that is open, ?prefix= those whose setSpec begins so,
// ?after= the last setSpec of the page before.
#include "page/markup.h"
#include "page/pages.h"
#include "set_spec.h"

namespace oai {
namespace {

constexpr int kSetsOnPage = 100;

// What a setSpec begins with: labels that need not be whole.
bool is_spec_prefix(std::string_view prefix) {
    return prefix.size() <= 1024 && is_set_spec(prefix.ends_with(':') ? prefix.substr(0, prefix.size() - 1) : prefix);
}

}  // namespace

PageContent sets_page(const PageQuestion& question) {
    PageContent page{.kind = "sets"};
    const std::string_view open = argument_of(question.request, "set");
    const std::string_view prefix = argument_of(question.request, "prefix");
    const std::string_view after = argument_of(question.request, "after");
    if (!question.context.repository.facts.sets) {
        markup::empty(page.xml, "none");
        return page;
    }
    markup::empty(page.xml, "asked", {{"set", open}, {"prefix", prefix}, {"after", after}});
    if ((!after.empty() && !is_set_spec(after)) || (!open.empty() && !is_set_spec(open))) return missing_page();
    std::vector<SetNode> path, below;
    if (!prefix.empty()) {
        if (is_spec_prefix(prefix)) below = question.survey.with_prefix(prefix, after, kSetsOnPage + 1);
    } else {
        if (!open.empty()) path = question.survey.path(open);
        if (!open.empty() && path.empty()) return missing_page();
        below = question.survey.children(path.empty() ? std::nullopt : std::optional(path.back().id), after,
                                         kSetsOnPage + 1);
    }
    if (below.size() > kSetsOnPage) {
        below.pop_back();
        markup::empty(page.xml, "next", {{"after", below.back().spec}});
    }
    append_sets(page.xml, "path", path);
    append_sets(page.xml, "below", below);
    return page;
}

}  // namespace oai
