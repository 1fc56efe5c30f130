// SPDX-License-Identifier: MIT
// The page of one record: its metadata in all formats, its sets, its datestamps, and the address
// where a web archive shows its content.
#include <algorithm>

#include "browse/markup.h"
#include "browse/pages.h"
#include "browse/replay.h"
#include "protocol/identifier.h"

namespace oai {
namespace {

// Appends the record in one format, or that it failed; nothing if the record lacks the format.
void append_format(std::string& out, const PageQuestion& question, const Format& format,
                   const Store::FoundRecord& found) {
    std::string document;
    const RecordWriter::Outcome outcome = append_record(document, question, format, found);
    if (outcome == RecordWriter::Outcome::left_out) return;
    markup::open(out, "disseminated",
                 {{"prefix", format.prefix},
                  {"schema", format.schema},
                  {"failed", outcome != RecordWriter::Outcome::written}});
    out += document;
    markup::close(out, "disseminated");
}

}  // namespace

PageContent record_page(const PageQuestion& question, std::string_view identifier) {
    const Context& context = question.context;
    const std::string local_id = local_id_in(context.repository.identifier_prefix, identifier);
    if (local_id.empty()) return missing_page();
    const Store::FoundRecord found = context.store.get(local_id);
    if (found.batch.size() == 0 || !is_shown(context.repository, found.batch.header(0)))
        return missing_page();
    const Header& header = found.batch.header(0);
    PageContent page{.kind = "record", .status = header.deleted ? 410 : 200};
    markup::empty(page.xml, "item",
                  {{"identifier", identifier},
                   {"path", record_path(identifier)},
                   {"datestamp", print_datestamp(header.datestamp)},
                   {"number", header.seq},
                   {"deleted", header.deleted},
                   {"replay", replay_address(question.browse.replay, found.batch,
                                             context.repository.identifier_prefix)}});
    if (context.repository.facts.sets)
        append_sets(page.xml, "sets", question.queries.by_id(header.set_ids));
    for (const auto& format : context.formats->formats())
        if (format->visible) append_format(page.xml, question, *format, found);
    return page;
}

}  // namespace oai
