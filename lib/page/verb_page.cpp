// SPDX-License-Identifier: MIT
// The page for a request of OAI-PMH that a browser navigates to: the same question, asked as pages ask it.
#include "page/markup.h"
#include "page/pages.h"

namespace oai {
namespace {

std::string printed(const std::optional<Seconds>& t) { return t ? print_datestamp(*t) : std::string(); }

// A list that a token goes on with is that list from there.
PageContent resumed_list(const PageQuestion& question, const Token& token) {
    Request request = question.request;
    request.arguments = {{"metadataPrefix", token.metadata_prefix}, {"set", token.set},
                         {"from", printed(token.from)},             {"until", printed(token.until)},
                         {"after", std::to_string(token.after)},    {"n", std::to_string(token.cursor)}};
    return list_page({question.context, question.browse, question.survey, question.histograms, request, question.account});
}

}  // namespace

PageContent page_of_verb(const PageQuestion& question) {
    if (question.request.arguments.empty()) return home_page(question);
    const ParsedArguments parsed =
        parse_arguments(question.request, {&question.context.sealer, question.context.clock.now(),
                                           question.context.repository.lists.token_lifetime_seconds});
    if (!parsed.errors.empty()) return refused_page(parsed.errors);
    const Arguments& asked = parsed.arguments;
    switch (*parsed.verb) {
        case Verb::identify:
            return home_page(question);
        case Verb::list_metadata_formats:
            return asked.identifier ? record_page(question, *asked.identifier) : formats_page(question);
        case Verb::list_sets:
            return sets_page(question);
        case Verb::get_record:
            return record_page(question, *asked.identifier);
        case Verb::list_identifiers:
        case Verb::list_records:
            return asked.token ? resumed_list(question, *asked.token) : list_page(question);
    }
    return missing_page();
}

}  // namespace oai
