// SPDX-License-Identifier: MIT
// What this repository is; and its formats.
#include <map>

#include "identifier.h"
#include "page/markup.h"
#include "page/pages.h"

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

// For each format a new record that has it; by their local ids, since as a rule one record has most of them.
std::map<std::string, std::vector<const Format*>> find_examples(const PageQuestion& question, const Slice& newest) {
    const auto excluded = question.context.excluded();
    std::map<std::string, std::vector<const Format*>> examples;
    for (const auto& format : question.context.formats->formats()) {
        for (int i = newest.size() - 1; format->visible && i >= 0; --i) {
            const Header& header = newest.header(i);
            if (header.deleted || !has_format(*format, newest, i) || excluded->has(format->prefix, header.seq)) continue;
            examples[std::string(header.local_id)].push_back(format.get());
            break;
        }
    }
    return examples;
}

// Documents of GetRecord, each in an element that says its format.
void append_examples(std::string& out, const PageQuestion& question, const std::string& local_id,
                     const std::vector<const Format*>& formats) {
    const std::string identifier = identifier_text(question.context.repository.identifier_prefix, local_id);
    const Store::Found found = question.context.store.get(local_id);
    if (found.slice.size() == 0 || !is_shown(question.context.repository, found.slice.header(0))) return;
    for (const Format* format : formats) {
        std::string document;
        if (append_record(document, question, *format, found) != RecordWriter::Outcome::written) continue;
        markup::open(out, "example", {{"prefix", format->prefix}, {"identifier", identifier}, {"path", record_path(identifier)}});
        out += document;
        markup::close(out, "example");
    }
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
    append_histogram(page.xml, question, horizon, {.first = horizon.earliest, .last = horizon.h, .known_total = total});
    markup::open(page.xml, "newest");
    append_records(page.xml, question, records, horizon);
    markup::close(page.xml, "newest");
    return page;
}

PageContent formats_page(const PageQuestion& question) {
    PageContent page{.kind = "formats"};
    append_formats(page.xml, question);
    const Slice candidates = question.context.store.list(newest(question, kCandidates)).next();
    for (const auto& [local_id, formats] : find_examples(question, candidates))
        append_examples(page.xml, question, local_id, formats);
    return page;
}

}  // namespace oai
