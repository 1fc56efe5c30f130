// SPDX-License-Identifier: MIT
// Parts that several pages share, and the pages but for lists, records and the search.
#include "browse/pages.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "browse/markup.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "protocol/repository.h"
#include "store/search.h"

namespace oai {

void append_errors(std::string& out, const OaiErrors& errors) {
    for (const OaiError& error : errors) {
        const auto value = [&](std::size_t i) {
            return i < error.values.size() ? std::string_view(error.values[i]) : "";
        };
        markup::empty(out, "error",
                      {{"code", error_code_text(error.code)},
                       {"kind", error.kind},
                       {"one", value(0)},
                       {"two", value(1)},
                       {"message", error.message}});
    }
}

ParsedArguments parse(const PageQuestion& question, const Request& request) {
    const Context& context = question.context;
    return parse_arguments(request, {&context.sealer, context.clock.now(),
                                     context.repository.lists.token_lifetime_seconds});
}

PageContent missing_page() { return {.kind = "missing", .status = 404}; }

PageContent refused_page(const OaiErrors& errors) {
    PageContent page{.kind = "refused", .status = 400};
    append_errors(page.xml, errors);
    return page;
}

RecordWriter::Outcome append_records(std::string& out, const PageQuestion& question, Verb verb,
                                     const Format& format, const RecordBatch& batch,
                                     const Horizon& horizon) {
    const Context& context = question.context;
    Envelope answer(response_date(horizon), context.repository.facts.base_url, {});
    answer.open(verb);
    RecordWriter writer(context, format, true);
    writer.begin(batch, since_of(format, horizon));
    auto outcome = RecordWriter::Outcome::left_out;
    for (int i = 0; i < batch.size(); ++i) outcome = writer.write(answer, i);
    question.stats.add(writer.stats());
    answer.close(verb);
    out += markup::without_declaration(answer.finish());
    return outcome;
}

void append_formats(std::string& out, const PageQuestion& question) {
    markup::open(out, "formats");
    for (const auto& format : question.context.formats->formats()) {
        if (!format->visible) continue;
        markup::empty(out, "format",
                      {{"prefix", format->prefix},
                       {"aliases", fmt::format("{}", fmt::join(format->aliases, ", "))},
                       {"schema", schema_url(*format, question.context.repository.facts.base_url)},
                       {"namespace", format->metadata_namespace},
                       {"requires", fmt::format("{}", fmt::join(format->requires_columns, ", "))},
                       {"since", print_datestamp(format->since)}});
    }
    markup::close(out, "formats");
}

void append_sets(std::string& out, std::string_view name, const std::vector<SetNode>& sets) {
    markup::open(out, name);
    for (const SetNode& set : sets) {
        markup::open(out, "set",
                     {{"spec", set.spec},
                      {"name", set.name},
                      {"records", set.items},
                      {"opens", set.has_children}});
        try {
            out += set_description(set.description, set.spec);
        } catch (const xml::Error&) {  // the answer to ListSets reports it
        }
        markup::close(out, "set");
    }
    markup::close(out, name);
}

namespace {

constexpr int kNewest = 10;    // records on the first page
constexpr int kRootSets = 12;  // sets on the first page

// A query for the last n records of the whole list, in the order of the list.
ListQuery newest(const PageQuestion& question, int n) {
    ListQuery query;
    query.with_records = true;
    query.records = n;
    query.after = question.queries.page_before(question.context.last_horizon().last_seq, n);
    return query;
}

constexpr int kSetsOnPage = 100;

// Whether a setSpec can begin with this text, whose last label need not be complete.
bool is_spec_prefix(std::string_view prefix) {
    return prefix.size() <= 1024 &&
           is_set_spec(prefix.ends_with(':') ? prefix.substr(0, prefix.size() - 1) : prefix);
}

constexpr std::size_t kMaxShownBytes = 400'000;  // of an answer
constexpr int kMaxListBytes = 200'000;           // where a page of a list ends that is shown
constexpr std::array<std::string_view, 6> kExplorerFields{
    "identifier", "metadataPrefix", "set", "from", "until", "resumptionToken"};

// As a harvester sends it. Form fields that were left empty are no arguments.
Request request_of(const PageQuestion& question) {
    Request request = question.request;
    std::erase_if(request.arguments, [](const Argument& argument) {
        return argument.value.empty() || argument.name == "lang";
    });
    return request;
}

void append_answer(std::string& out, const VerbResult& result) {
    const std::string& document = result.document;
    markup::open(out, "answer", {{"bytes", static_cast<std::int64_t>(document.size())}});
    append_errors(out, result.errors);
    if (document.size() <= kMaxShownBytes)
        out += markup::without_declaration(document);
    else
        markup::empty(out, "too-long");
    markup::close(out, "answer");
    if (!result.next_token.empty()) markup::empty(out, "next", {{"token", result.next_token}});
}

}  // namespace

PageContent home_page(const PageQuestion& question) {
    PageContent page{.kind = "home"};
    RecordCursor cursor = question.context.store.list(newest(question, kNewest));
    const RecordBatch records = cursor.next();
    const Horizon horizon = cursor.position().horizon;
    const std::int64_t total = question.queries.total();
    const SearchOffers offers = SearchQueries(question.context.store, "").offers();
    markup::empty(page.xml, "asked", {{"words", offers.words}, {"captures", offers.captures}});
    page.xml += markup::without_declaration(identify(question.context, {}).document);
    append_formats(page.xml, question);
    markup::empty(page.xml, "total", {{"records", total}});
    if (question.context.repository.facts.sets)
        append_sets(page.xml, "roots", question.queries.children(std::nullopt, "", kRootSets));
    markup::open(page.xml, "newest");
    append_records(page.xml, question, Verb::list_records,
                   *question.context.formats->find("oai_dc"), records, horizon);
    markup::close(page.xml, "newest");
    return page;
}

PageContent formats_page(const PageQuestion& question) {
    PageContent page{.kind = "formats"};
    append_formats(page.xml, question);
    return page;
}

// The page of the set trees, one level at a time. Its arguments: set, the set whose children are
// shown; prefix, which shows all sets whose setSpec begins with it; after, the last setSpec of the
// previous page.
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

PageContent explorer_page(const PageQuestion& question) {
    PageContent page{.kind = "explore"};
    markup::open(page.xml, "asked", {{"verb", argument_of(question.request, "verb")}});
    for (const std::string_view name : kExplorerFields)
        markup::empty(page.xml, "field",
                      {{"name", name}, {"value", argument_of(question.request, name)}});
    markup::close(page.xml, "asked");
    const Request request = request_of(question);
    if (request.arguments.empty()) return page;
    markup::element(page.xml, "query", query_of(request.arguments, ":/"));
    const ParsedArguments parsed = parse(question, request);
    const Context& from = question.context;
    Repository repository = from.repository;
    repository.lists.page_bytes = std::min(repository.lists.page_bytes, kMaxListBytes);
    const VerbResult result = run_verb(
        {repository, from.store, from.formats, from.sealer, from.clock, from.latest, from.floor},
        parsed);
    question.stats.add(result.stats);
    if (!result.fault.empty()) throw Fault(result.fault);
    append_answer(page.xml, result);
    return page;
}

PageContent verb_page(const PageQuestion& question) {
    if (question.request.arguments.empty()) return home_page(question);
    const ParsedArguments parsed = parse(question, request_of(question));
    const bool is_record = parsed.errors.empty() && *parsed.verb == Verb::get_record;
    return is_record ? record_page(question, *parsed.arguments.identifier)
                     : explorer_page(question);
}

namespace {

constexpr std::int64_t kPartSize = 50'000;  // the protocol of sitemaps allows no more addresses
constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view kNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

void append_entry(std::string& out, std::string_view element, std::string_view address,
                  Seconds latest) {
    out += fmt::format("<{}><loc>", element);
    xml::append_text(out, address);
    out += fmt::format("</loc><lastmod>{}</lastmod></{}>\n", print_datestamp(latest), element);
}

// The dump that a description names (dump.xml), escaped, or "".
std::string dump_of(const Repository& repository) {
    static const RE2 kDump("(?s)<dc:type>Dataset</.*<dc:identifier>(http[^<\\s]+)</");
    std::string address;
    for (const std::string& description : repository.descriptions)
        if (RE2::PartialMatch(description, kDump, &address)) break;
    return address;
}

}  // namespace

std::string sitemap_index(const PageQuestion& question, std::string_view pages) {
    std::string out = fmt::format("{}<sitemapindex xmlns=\"{}\">\n", kHead, kNamespace);
    for (const Part& part : question.queries.parts(kPartSize))
        append_entry(out, "sitemap",
                     fmt::format("{}/sitemap/{}-{}", pages, part.after, part.after + kPartSize),
                     part.latest);
    if (!dump_of(question.context.repository).empty())
        out += fmt::format("<sitemap><loc>{}/sitemap/dump</loc></sitemap>\n", pages);
    return out += "</sitemapindex>\n";
}

std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages) {
    const std::string dump = part == "dump" ? dump_of(question.context.repository) : "";
    if (!dump.empty())
        return fmt::format("{}<urlset xmlns=\"{}\">\n<url><loc>{}</loc></url>\n</urlset>\n", kHead,
                           kNamespace, dump);
    static const RE2 kPart("(\\d+)-(\\d+)");
    std::int64_t after = 0, upto = 0;
    if (!RE2::FullMatch(std::string(part), kPart, &after, &upto) || upto <= after ||
        upto - after > kPartSize)
        return "";
    const ListQuery query{.records = static_cast<int>(kPartSize), .after = after, .upto = upto};
    RecordCursor cursor = question.context.store.list(query);
    std::string out = fmt::format("{}<urlset xmlns=\"{}\">\n", kHead, kNamespace);
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        for (int i = 0; i < batch.size(); ++i) {
            const Header& header = batch.header(i);
            if (header.deleted) continue;
            const std::string identifier =
                identifier_text(question.context.repository.identifier_prefix, header.local_id);
            append_entry(out, "url", fmt::format("{}/{}", pages, record_path(identifier)),
                         header.datestamp);
            ++question.stats.records;
        }
    return out += "</urlset>\n";
}

}  // namespace oai
