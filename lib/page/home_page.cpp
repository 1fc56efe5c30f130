// SPDX-License-Identifier: MIT
// What this repository is; and its formats.
#include <map>

#include "identifier.h"
#include "page/markup.h"
#include "page/pages.h"
#include "record_writer.h"

namespace oai {
namespace {

constexpr int kNewest = 10;
constexpr int kCandidates = 50;  // so many records are looked through for examples

// The last records of the whole list, the latest last.
ListQuery newest(const PageQuestion& question, int n) {
    ListQuery query;
    query.with_records = true;
    query.records = n;
    query.after = question.survey.page_before(std::nullopt, std::nullopt, question.context.last_horizon().last_seq, n).value_or(0);
    return query;
}

// By prefix, the identifier of a new record that the format has.
std::map<std::string, std::string> find_examples(const PageQuestion& question, const Slice& newest) {
    const Context& context = question.context;
    const auto excluded = context.excluded();
    std::map<std::string, std::string> examples;
    for (const auto& format : context.formats->formats()) {
        for (int i = newest.size() - 1; format->visible && i >= 0 && !examples.contains(format->prefix); --i) {
            const Header& header = newest.header(i);
            if (header.deleted || !has_format(*format, newest, i) || excluded->has(format->prefix, header.seq)) continue;
            examples[format->prefix] = identifier_text(context.repository.identifier_prefix, header.local_id);
        }
    }
    return examples;
}

// The document of GetRecord, in an element that says its format.
void append_example(std::string& out, const PageQuestion& question, const std::string& prefix,
                    const std::string& identifier) {
    ParsedArguments parsed;
    parsed.verb = parsed.arguments.verb = Verb::get_record;
    parsed.arguments.identifier = identifier;
    parsed.arguments.metadata_prefix = prefix;
    const VerbResult result = verb_get_record(question.context, parsed, question.account);
    if (!result.errors.empty()) return;
    markup::open(out, "example",
                 {{"prefix", prefix}, {"identifier", identifier}, {"path", record_path(identifier)}});
    out += markup::without_declaration(result.document);
    markup::close(out, "example");
}

}  // namespace

PageContent home_page(const PageQuestion& question) {
    PageContent page{.kind = "home"};
    Listing listing = question.context.store.list(newest(question, kNewest));
    const Slice records = listing.next();
    const Horizon horizon = listing.position().horizon;
    const std::int64_t total = question.survey.total();
    append_identify(page.xml, question);
    append_formats(page.xml, question);
    markup::empty(page.xml, "total", {{"records", total}});
    append_histogram(page.xml, question, {.first = horizon.earliest, .last = horizon.h, .known_total = total});
    markup::open(page.xml, "newest");
    append_records(page.xml, question, records, horizon);
    markup::close(page.xml, "newest");
    return page;
}

PageContent formats_page(const PageQuestion& question) {
    PageContent page{.kind = "formats"};
    append_formats(page.xml, question);
    Listing listing = question.context.store.list(newest(question, kCandidates));
    for (const auto& [prefix, identifier] : find_examples(question, listing.next()))
        append_example(page.xml, question, prefix, identifier);
    return page;
}

}  // namespace oai
