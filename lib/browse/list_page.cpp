// SPDX-License-Identifier: MIT
// The page of a list of records. It takes the same arguments as ListRecords, and two that say where
// the page begins: after, the publication number before its first record, and n, the number of
// records on earlier pages.
#include <algorithm>

#include "base/text.h"
#include "browse/markup.h"
#include "browse/pages.h"
#include "verb/record_writer.h"

namespace oai {
namespace {

constexpr std::array kArguments{std::string_view("set"), std::string_view("from"),
                                std::string_view("until")};

// Parses the arguments as those of ListRecords. Form fields that were left empty are no arguments.
ParsedArguments parse(const PageQuestion& question) {
    Request request;
    request.method = "GET";
    request.well_encoded = question.request.well_encoded;
    request.arguments = {{"verb", "ListRecords"}};
    const std::string_view prefix = argument_of(question.request, "metadataPrefix");
    request.arguments.push_back(
        {"metadataPrefix", std::string(prefix.empty() ? "oai_dc" : prefix)});
    for (const std::string_view name : kArguments)
        if (const std::string_view value = argument_of(question.request, name); !value.empty())
            request.arguments.push_back({std::string(name), std::string(value)});
    return parse_arguments(request, {&question.context.sealer, question.context.clock.now(),
                                     question.context.repository.lists.token_lifetime_seconds});
}

std::int64_t number_of(const Request& request, std::string_view name) {
    return std::max<std::int64_t>(text::to_integer(argument_of(request, name)).value_or(0), 0);
}

class RecordListPage {
  public:
    RecordListPage(const PageQuestion& question, ParsedArguments parsed)
        : question_(question),
          parsed_(std::move(parsed)),
          after_(number_of(question.request, "after")),
          earlier_records_(number_of(question.request, "n")) {}

    PageContent content();

  private:
    std::optional<Seconds> from() const {
        return parsed_.arguments.from ? std::optional(parsed_.arguments.from->first) : std::nullopt;
    }
    std::optional<Seconds> until() const {
        return parsed_.arguments.until ? std::optional(parsed_.arguments.until->last())
                                       : std::nullopt;
    }
    void set_position();
    void append_previous(std::string& out) const;
    void append_list_histogram(std::string& out, const Horizon& horizon,
                               const std::vector<SetNode>& path) const;

    const PageQuestion& question_;
    ParsedArguments parsed_;
    const std::int64_t after_;
    const std::int64_t earlier_records_;
};

// Makes the token that this position would have. The address of a page carries the position itself,
// because it has to stay valid longer than a token.
void RecordListPage::set_position() {
    ResumptionToken token{};
    token.verb = Verb::list_records;
    token.epoch = question_.context.last_horizon().epoch;
    token.after = after_;
    token.cursor = earlier_records_;
    token.issued = question_.context.clock.now();
    token.from = from();
    token.until = until();
    token.metadata_prefix = *parsed_.arguments.metadata_prefix;
    token.set = parsed_.arguments.set.value_or("");
    parsed_.arguments.token = token;
}

void RecordListPage::append_previous(std::string& out) const {
    const int size = question_.context.repository.lists.records;
    const auto before = question_.queries.page_before(from(), parsed_.arguments.set, after_, size);
    const std::int64_t n = before ? std::max<std::int64_t>(earlier_records_ - size, 0) : 0;
    markup::empty(out, "previous", {{"after", before.value_or(0)}, {"n", n}});
}

void RecordListPage::append_list_histogram(std::string& out, const Horizon& horizon,
                                           const std::vector<SetNode>& path) const {
    const Format* format = question_.context.formats->find(*parsed_.arguments.metadata_prefix);
    HistogramQuestion asked{.set = parsed_.arguments.set,
                            .first = std::max(from().value_or(horizon.earliest), horizon.earliest),
                            .last = std::min(until().value_or(horizon.h), horizon.h),
                            .until = until(),
                            .since = since_of(*format, horizon)};
    if (!from() && !until() && !path.empty()) asked.known_total = path.back().items;
    // Records from the beginning of the list on have the datestamp `since` in this format.
    if (asked.since && asked.first <= *asked.since) asked.first = horizon.earliest;
    append_histogram(out, question_, horizon, asked);
}

PageContent RecordListPage::content() {
    PageContent page{.kind = "list"};
    const Arguments& asked = parsed_.arguments;
    markup::empty(page.xml, "asked",
                  {{"set", asked.set.value_or("")},
                   {"from", argument_of(question_.request, "from")},
                   {"until", argument_of(question_.request, "until")},
                   {"prefix", *asked.metadata_prefix},
                   {"n", earlier_records_}});
    if (after_ > 0) set_position();
    const VerbResult result = verb_list(question_.context, parsed_);
    question_.stats.add(result.stats);
    if (!result.fault.empty()) throw Fault(result.fault);
    append_errors(page.xml, result.errors);
    append_formats(page.xml, question_);
    std::vector<SetNode> path;
    if (asked.set) path = question_.queries.path(*asked.set);
    append_sets(page.xml, "path", path);
    if (after_ > 0) append_previous(page.xml);
    if (!result.errors.empty()) return page;
    if (!result.next_token.empty())
        markup::empty(
            page.xml, "next",
            {{"after", result.last_seq}, {"n", result.stats.cursor + result.stats.records}});
    if (after_ == 0) append_list_histogram(page.xml, result.horizon, path);
    page.xml += markup::without_declaration(result.document);
    return page;
}

}  // namespace

PageContent list_page(const PageQuestion& question) {
    ParsedArguments parsed = parse(question);
    if (!parsed.errors.empty()) return refused_page(parsed.errors);
    return RecordListPage(question, std::move(parsed)).content();
}

}  // namespace oai
