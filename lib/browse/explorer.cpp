// SPDX-License-Identifier: MIT
// The page of the repository explorer.
#include <algorithm>
#include <array>
#include <span>

#include "browse/markup.h"
#include "browse/pages.h"
#include "web/response.h"

namespace oai {
namespace {

constexpr std::size_t kMaxShownBytes = 400'000;  // of an answer
constexpr int kMaxListBytes = 200'000;           // where the page of a list ends
constexpr std::array<std::string_view, 7> kExplorerFields{
    "verb", "identifier", "metadataPrefix", "set", "from", "until", "resumptionToken"};

void append_answer(std::string& out, VerbResult result) {
    const Response response = xml_response(std::move(result.document), false);
    markup::open(out, "answer",
                 {{"status", std::int64_t{response.status}},
                  {"bytes", static_cast<std::int64_t>(response.body.size())}});
    append_errors(out, result.errors);
    for (const auto& [name, value] : response.headers)
        markup::empty(out, "header", {{"name", name}, {"value", value}});
    if (response.body.size() <= kMaxShownBytes)
        out += markup::without_declaration(response.body);
    else
        markup::empty(out, "too-long");
    markup::close(out, "answer");
}

// The answer that a harvester would get, but in smaller pages.
VerbResult run_request(const PageQuestion& question, const ParsedArguments& parsed) {
    const Context& from = question.context;
    if (!parsed.errors.empty()) return refuse_arguments(from, parsed);
    Repository repository = from.repository;
    repository.lists.page_bytes = std::min(repository.lists.page_bytes, kMaxListBytes);
    VerbResult result = run_verb({repository, from.store, from.formats, from.sealer, from.clock,
                                  from.latest, from.exclusions, from.floor},
                                 parsed);
    question.stats.add(result.stats);
    if (!result.fault.empty()) throw Fault(result.fault);
    return result;
}

}  // namespace

PageContent explorer_page(const PageQuestion& question) {
    PageContent page{.kind = "explore"};
    const std::string verb(argument_of(question.request, "verb"));
    markup::open(page.xml, "asked", {{"verb", verb}});
    for (const std::string_view name : std::span(kExplorerFields).subspan(1))
        markup::empty(page.xml, "field",
                      {{"name", name}, {"value", argument_of(question.request, name)}});
    markup::close(page.xml, "asked");
    append_formats(page.xml, question);
    if (verb.empty()) return page;
    Request request;
    request.method = "GET";
    request.arguments = filled_fields(question.request, kExplorerFields);
    markup::element(page.xml, "query", query_of(request.arguments, ":/"));
    VerbResult result = run_request(question, parse(question, request));
    const std::string next_token = result.next_token;
    append_answer(page.xml, std::move(result));
    if (!next_token.empty())
        markup::empty(page.xml, "next", {{"verb", verb}, {"token", next_token}});
    return page;
}

}  // namespace oai
