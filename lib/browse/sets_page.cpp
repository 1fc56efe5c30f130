// SPDX-License-Identifier: MIT
// The page of the set trees, one level at a time. Its arguments: set, the set whose children are
// shown; prefix, which shows all sets whose setSpec begins with it; after, the last setSpec of the
// previous page.
#include "browse/markup.h"
#include "browse/pages.h"
#include "protocol/identifier.h"

namespace oai {
namespace {

constexpr int kSetsOnPage = 100;

// Whether a setSpec can begin with this text, whose last label need not be complete.
bool is_spec_prefix(std::string_view prefix) {
    return prefix.size() <= 1024 &&
           is_set_spec(prefix.ends_with(':') ? prefix.substr(0, prefix.size() - 1) : prefix);
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
    if ((!after.empty() && !is_set_spec(after)) || (!open.empty() && !is_set_spec(open)))
        return missing_page();
    std::vector<SetNode> path, below;
    if (!prefix.empty()) {
        if (is_spec_prefix(prefix))
            below = question.queries.with_prefix(prefix, after, kSetsOnPage + 1);
    } else {
        if (!open.empty()) path = question.queries.path(open);
        if (!open.empty() && path.empty()) return missing_page();
        below = question.queries.children(
            path.empty() ? std::nullopt : std::optional(path.back().id), after, kSetsOnPage + 1);
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
