// SPDX-License-Identifier: MIT
// The first page, which describes the repository, and the page of its formats.
#include <map>

#include "browse/markup.h"
#include "browse/pages.h"
#include "protocol/identifier.h"
#include "store/search.h"

namespace oai {
namespace {

constexpr int kNewest = 10;      // records on the first page
constexpr int kRootSets = 12;    // sets on the first page
constexpr int kCandidates = 50;  // the number of records among which examples are looked for

// A query for the last n records of the whole list, in the order of the list.
ListQuery newest(const PageQuestion& question, int n) {
    ListQuery query;
    query.with_records = true;
    query.records = n;
    query.after =
        question.queries
            .page_before(std::nullopt, std::nullopt, question.context.last_horizon().last_seq, n)
            .value_or(0);
    return query;
}

// Finds for each format the newest record that has it. Grouped by local id, because usually one
// record has most formats.
std::map<std::string, std::vector<const Format*>> find_examples(const PageQuestion& question,
                                                                const RecordBatch& newest) {
    const auto excluded = question.context.excluded();
    std::map<std::string, std::vector<const Format*>> examples;
    for (const auto& format : question.context.formats->formats()) {
        for (int i = newest.size() - 1; format->visible && i >= 0; --i) {
            const Header& header = newest.header(i);
            if (header.deleted || !has_format(*format, newest, i) ||
                excluded->has(format->prefix, header.seq))
                continue;
            examples[std::string(header.local_id)].push_back(format.get());
            break;
        }
    }
    return examples;
}

// Appends documents of GetRecord, each in an element that names its format.
void append_examples(std::string& out, const PageQuestion& question, const std::string& local_id,
                     const std::vector<const Format*>& formats) {
    const std::string identifier =
        identifier_text(question.context.repository.identifier_prefix, local_id);
    const Store::FoundRecord found = question.context.store.get(local_id);
    if (found.batch.size() == 0 || !is_shown(question.context.repository, found.batch.header(0)))
        return;
    for (const Format* format : formats) {
        std::string document;
        if (append_records(document, question, Verb::get_record, *format, found.batch,
                           found.horizon) != RecordWriter::Outcome::written)
            continue;
        markup::open(out, "example",
                     {{"prefix", format->prefix},
                      {"identifier", identifier},
                      {"path", record_path(identifier)}});
        out += document;
        markup::close(out, "example");
    }
}

}  // namespace

PageContent home_page(const PageQuestion& question) {
    PageContent page{.kind = "home"};
    RecordCursor cursor = question.context.store.list(newest(question, kNewest));
    const RecordBatch records = cursor.next();
    const Horizon horizon = cursor.position().horizon;
    const std::int64_t total = question.queries.total();
    const SearchOffers offers = SearchQueries(question.context.store).offers();
    markup::empty(page.xml, "asked", {{"words", offers.words}, {"captures", offers.captures}});
    append_identify(page.xml, question);
    append_formats(page.xml, question);
    markup::empty(page.xml, "total", {{"records", total}});
    if (question.context.repository.facts.sets)
        append_sets(page.xml, "roots", question.queries.children(std::nullopt, "", kRootSets));
    append_histogram(
        page.xml, question, horizon,
        {.first = question.context.earliest_datestamp(), .last = horizon.h, .known_total = total});
    markup::open(page.xml, "newest");
    append_records(page.xml, question, Verb::list_records,
                   *question.context.formats->find("oai_dc"), records, horizon);
    markup::close(page.xml, "newest");
    return page;
}

PageContent formats_page(const PageQuestion& question) {
    PageContent page{.kind = "formats"};
    append_formats(page.xml, question);
    const RecordBatch candidates =
        question.context.store.list(newest(question, kCandidates)).next();
    for (const auto& [local_id, formats] : find_examples(question, candidates))
        append_examples(page.xml, question, local_id, formats);
    return page;
}

}  // namespace oai
