// SPDX-License-Identifier: MIT
// The explorer: a request of OAI-PMH built by a form, its answer as harvesters get it, what the schemas and the rules of the
// conformance test have against it, and the way on. And the report of that test.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "page/explorer.h"
#include "page/markup.h"
#include "page/pages.h"
#include "validate/report.h"

namespace oai {
namespace {

constexpr int kMostShown = 400'000;   // bytes of an answer
constexpr int kMostKept = 1'000'000;  // bytes of a page that the conformance test looks at: it keeps some of them in memory
constexpr std::array kFields{std::string_view("identifier"), std::string_view("metadataPrefix"), std::string_view("set"),
                             std::string_view("from"), std::string_view("until"), std::string_view("resumptionToken")};

// The form's fields as a query, readable where it may be; those that were left empty were not asked for.
std::string query_of(const Request& request) {
    std::string query = "verb=" + text::percent_encode(argument_of(request, "verb"));
    for (const std::string_view name : kFields)
        if (const std::string_view value = argument_of(request, name); !value.empty())
            query.append("&").append(name).append("=").append(text::percent_encode(value, ":/"));
    return query;
}

void append_asked(std::string& out, const Request& request) {
    markup::open(out, "asked", {{"verb", argument_of(request, "verb")}});
    for (const std::string_view name : kFields) markup::empty(out, "field", {{"name", name}, {"value", argument_of(request, name)}});
    markup::close(out, "asked");
}

void append_judgement(std::string& out, const validate::Answer& answer, const validate::Facts& facts) {
    markup::open(out, "judgement", {{"valid", answer.invalid.empty() ? "yes" : "no"}, {"errors", answer.error_codes()}});
    for (const auto& [rule, finding] : validate::broken_rules(answer, facts))
        markup::empty(out, "broken",
                      {{"id", rule->id},
                       {"title", rule->title},
                       {"section", rule->section},
                       {"verdict", validate::verdict_name(validate::verdict_of(rule->severity))},
                       {"why", finding.why}});
    markup::close(out, "judgement");
}

void append_answer(std::string& out, const validate::Answer& answer) {
    markup::open(out, "answer",
                 {{"status", std::int64_t{answer.reply.status}}, {"bytes", static_cast<std::int64_t>(answer.reply.body.size())},
                  {"ms", answer.reply.took.count()}});
    for (const auto& [name, value] : answer.reply.headers) markup::empty(out, "header", {{"name", name}, {"value", value}});
    if (!answer.well_formed()) markup::element(out, "text", answer.reply.body.substr(0, static_cast<std::size_t>(kMostShown)));
    else if (std::ssize(answer.reply.body) <= kMostShown) out += markup::without_declaration(answer.reply.body);
    else markup::empty(out, "too-long");
    markup::close(out, "answer");
    if (answer.token && !answer.token->value.empty()) markup::empty(out, "next", {{"verb", answer.verb}, {"token", answer.token->value}});
}

Repository in_pages_of(Repository repository, int most_bytes) {
    repository.lists.page_bytes = std::min(repository.lists.page_bytes, most_bytes);
    return repository;
}

}  // namespace

Explorer::Explorer(const Repository& small, const Repository& whole, std::string schemas)
    : small_(in_pages_of(small, kMostShown / 2)), whole_(in_pages_of(whole, kMostKept)), folder_(std::move(schemas)), schemas_(folder_) {}

validate::Answer Explorer::ask(const std::string& query, const AskOwn& own) {
    OwnAsker asker(own, small_);
    const validate::Question question{.arguments = query};
    validate::Reply reply = asker.ask(question);
    const std::lock_guard lock(mutex_);
    return validate::read_answer(question, std::move(reply), schemas_);
}

PageContent Explorer::page(const PageQuestion& question, const AskOwn& own) {
    PageContent page{.kind = "explore"};
    append_asked(page.xml, question.request);
    append_formats(page.xml, question);
    if (argument_of(question.request, "verb").empty()) return page;
    const std::string query = query_of(question.request);
    markup::element(page.xml, "query", query);
    const validate::Answer answer = ask(query, own);
    append_judgement(page.xml, answer, {whole_.facts.base_url, "YYYY-MM-DDThh:mm:ssZ", "", question.context.clock.now()});
    append_answer(page.xml, answer);
    return page;
}

PageContent Explorer::conformance_page(const PageQuestion& question, const AskOwn& own) {
    PageContent page{.kind = "conformance"};
    page.xml = conformance_.report(own, whole_, folder_, question.context.clock);
    if (page.xml.empty()) page.status = 503;
    return page;
}

}  // namespace oai
