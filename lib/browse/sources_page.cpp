// SPDX-License-Identifier: MIT
// The page of an aggregator's sources: which repositories its records come from, and how they are.
#include "browse/markup.h"
#include "browse/pages.h"
#include "protocol/identifier.h"
#include "protocol/record.h"

namespace oai {
namespace {

constexpr int kSourcesOnPage = 100;

std::string time_or_nothing(const std::optional<Seconds>& time) {
    return time ? print_datestamp(*time) : "";
}

}  // namespace

PageContent sources_page(const PageQuestion& question) {
    PageContent page{.kind = "sources"};
    const std::string_view after = argument_of(question.request, "after");
    if (!after.empty() && (after.size() > 60 || !is_set_spec(after))) return missing_page();
    std::vector<HarvestedSource> sources = question.queries.sources(after, kSourcesOnPage + 1);
    if (sources.size() > kSourcesOnPage) {
        sources.pop_back();
        markup::empty(page.xml, "next", {{"after", sources.back().name}});
    }
    if (!after.empty()) markup::empty(page.xml, "asked", {{"after", after}});
    for (const HarvestedSource& source : sources)
        markup::empty(page.xml, "source",
                      {{"name", source.name},
                       {"title", source.title},
                       {"base", source.base_url},
                       {"state", source.state},
                       {"since", time_or_nothing(source.since)},
                       {"succeeded", time_or_nothing(source.succeeded)},
                       {"set", source.set_spec},
                       {"records", source.records}});
    return page;
}

}  // namespace oai
