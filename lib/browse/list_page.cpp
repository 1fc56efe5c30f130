// SPDX-License-Identifier: MIT
// The page of a list of records. It takes the same arguments as ListRecords, and two that say where
// the page begins: after, the publication number before its first record, and n, the number of
// records on earlier pages.
#include <algorithm>

#include "base/text.h"
#include "browse/markup.h"
#include "browse/pages.h"
#include "verb/list_request.h"

namespace oai {
namespace {

// The request as one of ListRecords. Form fields that were left empty are no arguments.
ParsedArguments parse_as_list(const PageQuestion& question) {
    Request request;
    request.method = "GET";
    request.well_encoded = question.request.well_encoded;
    const std::string_view prefix = argument_of(question.request, "metadataPrefix");
    request.arguments = {{"verb", "ListRecords"},
                         {"metadataPrefix", std::string(prefix.empty() ? "oai_dc" : prefix)}};
    for (const char* name : {"set", "from", "until"})
        if (const auto value = argument_of(question.request, name); !value.empty())
            request.arguments.push_back({name, std::string(value)});
    return parse(question, request);
}

std::int64_t number_of(const Request& request, std::string_view name) {
    return std::max<std::int64_t>(text::to_integer(argument_of(request, name)).value_or(0), 0);
}

// The fields of the form, as they were filled in.
void append_fields(std::string& out, const PageQuestion& question, std::string_view prefix,
                   std::int64_t earlier_records) {
    markup::empty(out, "asked",
                  {{"set", argument_of(question.request, "set")},
                   {"from", argument_of(question.request, "from")},
                   {"until", argument_of(question.request, "until")},
                   {"prefix", prefix},
                   {"n", earlier_records}});
}

// The errors, with the form in which they can be corrected.
PageContent refused_list(const PageQuestion& question, const OaiErrors& errors) {
    PageContent page = refused_page(errors);
    append_fields(page.xml, question, argument_of(question.request, "metadataPrefix"), 0);
    append_formats(page.xml, question);
    return page;
}

}  // namespace

PageContent list_page(const PageQuestion& question) {
    ParsedArguments parsed = parse_as_list(question);
    if (!parsed.errors.empty()) return refused_list(question, parsed.errors);
    Arguments& arguments = parsed.arguments;
    // The address carries the position itself, to stay valid longer than a token.
    ResumptionToken here = list_request(arguments).start;
    here.after = number_of(question.request, "after");
    here.cursor = number_of(question.request, "n");
    if (here.after > 0) {
        here.epoch = question.context.last_horizon().epoch;
        here.issued = question.context.clock.now();
        arguments.token = here;
    }

    PageContent page{.kind = "list"};
    append_fields(page.xml, question, here.metadata_prefix, here.cursor);
    const VerbResult result = list_records(question.context, parsed);
    question.stats.add(result.stats);
    if (!result.fault.empty()) throw Fault(result.fault);
    append_errors(page.xml, result.errors);
    append_formats(page.xml, question);
    append_sets(page.xml, "path",
                arguments.set ? question.queries.path(*arguments.set) : std::vector<SetNode>());
    if (!result.errors.empty()) return page;
    if (!result.next_token.empty())
        markup::empty(
            page.xml, "next",
            {{"after", result.last_seq}, {"n", result.stats.cursor + result.stats.records}});
    page.xml += markup::without_declaration(result.document);
    return page;
}

}  // namespace oai
