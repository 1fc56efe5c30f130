// SPDX-License-Identifier: MIT
// A list of records, by the same arguments as ListRecords; ?after= and ?n= are where a page of it begins: the number
// before its first record, and how many records came before.
#include <algorithm>

#include "base/text.h"
#include "page/markup.h"
#include "page/pages.h"
#include "record_writer.h"

namespace oai {
namespace {

constexpr std::array kArguments{std::string_view("set"), std::string_view("from"), std::string_view("until")};

// As a harvester would ask: fields of a form that were left empty were not asked for.
ParsedArguments parse(const PageQuestion& question) {
    Request request;
    request.method = "GET";
    request.well_encoded = question.request.well_encoded;
    request.arguments = {{"verb", "ListRecords"}};
    const std::string_view prefix = argument_of(question.request, "metadataPrefix");
    request.arguments.push_back({"metadataPrefix", std::string(prefix.empty() ? "oai_dc" : prefix)});
    for (const std::string_view name : kArguments)
        if (const std::string_view value = argument_of(question.request, name); !value.empty())
            request.arguments.push_back({std::string(name), std::string(value)});
    return parse_arguments(request, {&question.context.sealer, question.context.clock.now(),
                                     question.context.repository.lists.token_lifetime_seconds});
}

std::int64_t number_of(const Request& request, std::string_view name) {
    return std::max<std::int64_t>(text::to_integer(argument_of(request, name)).value_or(0), 0);
}

class ListOnPage {
  public:
    ListOnPage(const PageQuestion& question, ParsedArguments parsed)
        : question_(question), parsed_(std::move(parsed)), after_(number_of(question.request, "after")),
          came_before_(number_of(question.request, "n")) {}

    PageContent content();

  private:
    std::optional<Seconds> from() const {
        return parsed_.arguments.from ? std::optional(parsed_.arguments.from->first) : std::nullopt;
    }
    std::optional<Seconds> until() const {
        return parsed_.arguments.until ? std::optional(parsed_.arguments.until->last()) : std::nullopt;
    }
    void continue_from_there();
    void append_next(std::string& out, const std::string& document) const;
    void append_previous(std::string& out) const;
    void append_picture(std::string& out, const Horizon& horizon, const std::vector<SetNode>& path) const;

    const PageQuestion& question_;
    ParsedArguments parsed_;
    const std::int64_t after_;
    const std::int64_t came_before_;
};

// The same as by a resumptionToken, but an address lasts longer than a token.
void ListOnPage::continue_from_there() {
    Token token{};
    token.verb = Verb::list_records;
    token.epoch = question_.context.last_horizon().epoch;
    token.after = after_;
    token.cursor = came_before_;
    token.issued = question_.context.clock.now();
    token.from = from();
    token.until = until();
    token.metadata_prefix = *parsed_.arguments.metadata_prefix;
    token.set = parsed_.arguments.set.value_or("");
    parsed_.arguments.token = token;
}

// The list goes on if its answer has a token.
void ListOnPage::append_next(std::string& out, const std::string& document) const {
    const std::size_t element = document.rfind("<resumptionToken");
    const std::size_t begin = document.find('>', element) + 1;
    if (element == std::string::npos) return;
    const auto token = question_.context.sealer.open(document.substr(begin, document.find('<', begin) - begin));
    if (token) markup::empty(out, "next", {{"after", token->after}, {"n", token->cursor}});
}

void ListOnPage::append_previous(std::string& out) const {
    const int size = question_.context.repository.lists.records;
    const auto before = question_.survey.page_before(from(), parsed_.arguments.set, after_, size);
    const std::int64_t n = before ? std::max<std::int64_t>(came_before_ - size, 0) : 0;
    markup::empty(out, "previous", {{"after", before.value_or(0)}, {"n", n}});
}

void ListOnPage::append_picture(std::string& out, const Horizon& horizon, const std::vector<SetNode>& path) const {
    const Format* format = question_.context.formats->find(*parsed_.arguments.metadata_prefix);
    HistogramQuestion asked{.set = parsed_.arguments.set,
                            .first = std::max(from().value_or(horizon.earliest), horizon.earliest),
                            .last = std::min(until().value_or(horizon.h), horizon.h),
                            .until = until(),
                            .since = since_of(*format, horizon)};
    if (!from() && !until() && !path.empty()) asked.known_total = path.back().items;
    // A datestamp that the format moved to `since` is of records from the beginning on.
    if (asked.since && asked.first <= *asked.since) asked.first = horizon.earliest;
    append_histogram(out, question_, horizon, asked);
}

PageContent ListOnPage::content() {
    PageContent page{.kind = "list"};
    const Arguments& asked = parsed_.arguments;
    markup::empty(page.xml, "asked",
                  {{"set", asked.set.value_or("")},
                   {"from", argument_of(question_.request, "from")},
                   {"until", argument_of(question_.request, "until")},
                   {"prefix", *asked.metadata_prefix},
                   {"n", came_before_}});
    if (after_ > 0) continue_from_there();
    const VerbResult result = verb_list(question_.context, parsed_, question_.account);
    append_errors(page.xml, result.errors);
    append_formats(page.xml, question_);
    std::vector<SetNode> path;
    if (asked.set) path = question_.survey.path(*asked.set);
    append_sets(page.xml, "path", path);
    if (after_ > 0) append_previous(page.xml);
    if (!result.errors.empty()) return page;
    append_next(page.xml, result.document);
    if (after_ == 0) append_picture(page.xml, result.horizon, path);
    page.xml += markup::without_declaration(result.document);
    return page;
}

}  // namespace

PageContent list_page(const PageQuestion& question) {
    ParsedArguments parsed = parse(question);
    if (!parsed.errors.empty()) return refused_page(parsed.errors);
    return ListOnPage(question, std::move(parsed)).content();
}

}  // namespace oai
