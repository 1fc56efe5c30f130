// SPDX-License-Identifier: MIT
// The page for a request of OAI-PMH that a browser navigates to: the one that shows what the
// request asks for.
#include "browse/markup.h"
#include "browse/pages.h"

namespace oai {
namespace {

// The page of the list that the token continues, at its position.
PageContent resumed_list(const PageQuestion& question, const ResumptionToken& token) {
    Request request = question.request;
    request.arguments = {
        {"metadataPrefix", token.metadata_prefix}, {"set", token.set},
        {"from", print_datestamp(token.from)},     {"until", print_datestamp(token.until)},
        {"after", std::to_string(token.after)},    {"n", std::to_string(token.cursor)}};
    return list_page({question.context, question.browse, question.base, question.queries,
                      question.histograms, request, question.stats});
}

}  // namespace

PageContent verb_page(const PageQuestion& question) {
    if (question.request.arguments.empty()) return home_page(question);
    const ParsedArguments parsed = parse(question, question.request);
    if (!parsed.errors.empty()) return refused_page(parsed.errors);
    const Arguments& arguments = parsed.arguments;
    switch (*parsed.verb) {
        case Verb::identify: return home_page(question);
        case Verb::list_metadata_formats:
            return arguments.identifier ? record_page(question, *arguments.identifier)
                                        : formats_page(question);
        case Verb::list_sets: return sets_page(question);
        case Verb::get_record: return record_page(question, *arguments.identifier);
        case Verb::list_identifiers:
        case Verb::list_records:
            return arguments.token ? resumed_list(question, *arguments.token) : list_page(question);
    }
    return missing_page();
}

}  // namespace oai
