// SPDX-License-Identifier: MIT
// The page of one record: its metadata in all formats, its sets, its datestamps, and the address
// where a web archive shows its content.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/utc.h"
#include "browse/markup.h"
#include "browse/pages.h"
#include "format/record_xml.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/serialiser.h"
#include "xml/shorten.h"
#include "xml/view.h"

namespace oai {
namespace {

// "" if the record has no such column.
std::string column_text(const xmlNode* record, const std::string& column) {
    const xml::StringHandle value(xmlGetNoNsProp(record, xml::xml_chars(column.c_str())));
    std::string text(xml::view(value.get()));
    if (parse_utc(text)) std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    return text;
}

// The address at which a replay service of a web archive shows the content of the record: the
// pattern with each {name} replaced by that column of the batch's one record as the internal XML
// has it (format/record_xml.h), a datestamp as its 14 digits. "" if there is no pattern or the
// record lacks one of the columns. `pattern` has passed check_replay() in base/config_values.h, so
// no column can choose the host.
std::string replay_address(std::string_view pattern, const RecordBatch& batch,
                           std::string_view identifier_prefix) {
    if (pattern.empty() || batch.header(0).deleted) return "";
    const RecordXml xml = records_to_xml(batch, std::array{0}, identifier_prefix);
    if (xml.batch_index.empty()) return "";
    const xmlNode* record = xmlDocGetRootElement(xml.document.get())->children;
    std::string address;
    while (!pattern.empty()) {
        const std::size_t begin = std::min(pattern.find('{'), pattern.size());
        const std::size_t end = pattern.find('}', begin);
        address += pattern.substr(0, begin);
        if (end == std::string_view::npos) return address.append(pattern.substr(begin));
        const std::string value =
            column_text(record, std::string(pattern.substr(begin + 1, end - begin - 1)));
        if (value.empty()) return "";
        address += value;
        pattern.remove_prefix(end + 1);
    }
    return address;
}

// Of what one record may make a page of. A longer document is cut short, or only named if that does
// not help; once the formats so far have taken the time, the others are only named.
constexpr std::size_t kMaxBytes = 20'000;           // of the record in one format, uncut
constexpr std::size_t kMaxDocumentBytes = 200'000;  // and cut short
constexpr xml::ShortenLimits kLimits{.elements = 100, .text_bytes = 2'000};
constexpr std::chrono::milliseconds kMaxTime{500};

// Returns how many elements and ends of texts were removed.
std::size_t shorten(std::string& document) {
    const xml::DocumentHandle parsed = xml::parse_memory(document, "record");
    xmlNode* const root = xmlDocGetRootElement(parsed.get());
    const std::size_t removed = xml::shorten(root, kLimits);
    document.clear();
    xml::append_node(document, root);
    return removed;
}

// Appends the record in one format, or that it failed; nothing if the record lacks the format.
void append_format(std::string& out, const PageQuestion& question, const Format& format,
                   const Store::FoundRecord& found) {
    std::string document;
    const RecordWriter::Outcome outcome =
        append_records(document, question, Verb::get_record, format, found.batch, found.horizon);
    if (outcome == RecordWriter::Outcome::left_out) return;
    const bool failed = outcome != RecordWriter::Outcome::written;
    const auto removed = document.size() > kMaxBytes ? shorten(document) : std::size_t{0};
    const bool too_long = document.size() > kMaxDocumentBytes;
    markup::open(out, "disseminated",
                 {{"prefix", format.prefix},
                  {"schema", format.schema},
                  {"failed", failed},
                  {"too-long", too_long},
                  {"removed", static_cast<std::int64_t>(removed)}});
    if (!failed && !too_long) out += document;
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
    const auto began = std::chrono::steady_clock::now();
    for (const auto& format : context.formats->formats()) {
        if (!format->visible) continue;
        if (std::chrono::steady_clock::now() - began < kMaxTime)
            append_format(page.xml, question, *format, found);
        else if (has_format(*format, found.batch, 0))
            markup::empty(page.xml, "disseminated",
                          {{"prefix", format->prefix}, {"too-long", true}});
    }
    return page;
}

}  // namespace oai
