// SPDX-License-Identifier: MIT
// The page of one record: what it is, where it lies in the sets, where a web archive shows its
// content, its metadata in all formats. Its citations and
// links are made by stylesheets from a part of the same.
#include <algorithm>
#include <array>
#include <chrono>

#include "base/clock.h"
#include "browse/captures.h"
#include "browse/markup.h"
#include "browse/pages.h"
#include "format/record_xml.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

// What one record may make a page of. A longer document is cut short, or only named if that does
// not help; once the formats so far have taken the time, the others are only named.
constexpr std::size_t kMaxBytes = 20'000;           // of the record in one format, uncut
constexpr std::size_t kMaxDocumentBytes = 200'000;  // and cut short
constexpr xml::ShortenLimits kLimits{.elements = 100, .text_bytes = 2'000};
constexpr std::chrono::milliseconds kMaxTime{500};  // of the processor

// The sets whose paths are shown and linked: the first ones of the header.
constexpr std::size_t kMaxShownSets = 50;

// What the model's columns say of the record beside the formats. All but `why` is "" of a deleted
// record, and where the model lacks the column or the record a value.
struct Columns {
    // Where [browse] replay says that the content is shown.
    std::string replay;
    // Of a web archive, the address that was captured, and the time.
    std::string url, captured;
    std::string image;  // an address of the web
    std::string kind;   // of a library's item: book, thesis:master, ...
    std::string why{};  // of a deleted record: why it was withdrawn
};

bool is_web_address(std::string_view text) {
    return (text.starts_with("http://") || text.starts_with("https://")) &&
           text.find(' ') == std::string_view::npos;
}

// The column of the record in the internal XML, of an array its first value; "" if it has none.
std::string column_of(const xmlNode* record, const std::string& column) {
    const xml::StringHandle value(xmlGetNoNsProp(record, xml::xml_chars(column.c_str())));
    if (value) return std::string(xml::view(value.get()));
    for (const xmlNode* n = record->children; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || xml::view(n->name) != column) continue;
        const xml::StringHandle content(xmlNodeGetContent(n));
        return std::string(xml::view(content.get()));
    }
    return "";
}

Columns read_columns(const PageQuestion& question, const RecordBatch& batch) {
    if (batch.header(0).deleted) {
        Columns columns;
        for (int c = 0; c < batch.columns(); ++c)
            if (batch.column(c).name == "hidden_why") columns.why = batch.bytes(0, c);
        return columns;
    }
    const std::string_view replay = question.browse.replay;
    std::vector<std::string> needed{"url", "archived_time", "image", "kind"};
    replay_address(replay, [&](std::string_view name) { return needed.emplace_back(name); });
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    const RecordXml xml = records_to_xml(batch, std::array{0},
                                         question.context.repository.identifier_prefix, &needed);
    if (xml.batch_index.empty()) return {};
    const xmlNode* record = xmlDocGetRootElement(xml.document.get())->children;
    const auto replay_value = [&](std::string_view name) {
        std::string value = column_of(record, std::string(name));
        if (const auto time = parse_utc(value)) value = digits_of(*time);
        return value;
    };
    Columns columns{.replay = replay_address(replay, replay_value),
                    .url = column_of(record, "url"),
                    .captured = column_of(record, "archived_time"),
                    .image = column_of(record, "image"),
                    .kind = column_of(record, "kind")};
    if (columns.url.empty() || !parse_utc(columns.captured)) columns.url = columns.captured = "";
    if (!is_web_address(columns.image)) columns.image = "";
    return columns;
}

void append_item(PageContent& page, const PageQuestion& question, std::string_view identifier,
                 const Header& header, const Columns& columns) {
    const std::string path = record_path(identifier);
    if (const auto captured = parse_utc(columns.captured); captured && !columns.replay.empty())
        page.memento_datetime = http_date(*captured);
    const bool has_captures =
        !columns.url.empty() && SearchQueries(question.context.store, "").offers().captures;
    markup::empty(page.xml, "item",
                  {{"identifier", identifier},
                   {"path", path},
                   {"url", question.base + "/browse/" + path},
                   {"repository", question.context.repository.facts.name},
                   {"viewed", print_utc(question.context.clock.now())},
                   {"datestamp", print_datestamp(header.datestamp)},
                   {"number", header.seq},
                   {"deleted", header.deleted},
                   {"replay", columns.replay},
                   {"captured", columns.captured},
                   {"live", columns.url},
                   {"captures", has_captures},
                   {"kind", columns.kind},
                   {"image", columns.image},
                   {"why", columns.why}});
}

void append_paths(std::string& out, const PageQuestion& question, const Header& header) {
    const std::size_t all = header.set_ids.size(), shown = std::min(all, kMaxShownSets);
    const bool has_sets = question.context.repository.facts.sets;
    markup::open(out, "paths", {{"more", std::int64_t(has_sets ? all - shown : 0)}});
    if (has_sets)
        for (const std::vector<SetNode>& path : question.queries.paths(header.set_ids.first(shown)))
            append_sets(out, "path", path);
    markup::close(out, "paths");
}

// Returns how many elements and ends of texts were removed. What no parser is given (guard.h) stays
// as it is, and is too long.
std::size_t shorten(std::string& document) try {
    const xml::DocumentHandle parsed = xml::parse_memory(document, "record");
    xmlNode* const root = xmlDocGetRootElement(parsed.get());
    const std::size_t removed = xml::shorten(root, kLimits);
    document.clear();
    xml::append_node(document, root);
    return removed;
} catch (const xml::Error&) {
    return 0;
}

// Appends the record in one format, or that it failed; nothing if the record lacks the format.
void append_format(PageContent& page, const PageQuestion& question, const Format& format,
                   const Store::FoundRecord& found) {
    std::string document;
    const RecordWriter::Outcome outcome =
        append_records(document, question, Verb::get_record, format, found.batch, found.horizon);
    if (outcome == RecordWriter::Outcome::left_out) return;
    const bool failed = outcome != RecordWriter::Outcome::written;
    const auto removed = document.size() > kMaxBytes ? shorten(document) : std::size_t{0};
    const bool too_long = document.size() > kMaxDocumentBytes;
    if (format.prefix == "oai_dc") page.has_dublin_core = !failed && !too_long;
    markup::open(page.xml, "disseminated",
                 {{"prefix", format.prefix},
                  {"schema", schema_url(format, question.context.repository.facts.base_url)},
                  {"namespace", format.metadata_namespace},
                  {"failed", failed},
                  {"too-long", too_long},
                  {"removed", static_cast<std::int64_t>(removed)}});
    if (!failed && !too_long) page.xml += document;
    markup::close(page.xml, "disseminated");
}

// The record in all formats, or in oai_dc alone and the names of the others.
void append_formats_of(PageContent& page, const PageQuestion& question,
                       const Store::FoundRecord& found, bool all) {
    const auto began = processor_time();
    for (const auto& format : question.context.formats->formats()) {
        if (!format->visible) continue;
        const bool in_time = processor_time() - began < kMaxTime;
        if (format->prefix == "oai_dc" || (all && in_time))
            append_format(page, question, *format, found);
        else if (has_format(*format, found.batch, 0))
            markup::empty(page.xml, "disseminated",
                          {{"prefix", format->prefix},
                           {"namespace", format->metadata_namespace},
                           {"too-long", true}});
    }
}

PageContent content_of(const PageQuestion& question, std::string_view identifier, bool all) {
    const Context& context = question.context;
    const std::string local_id = local_id_in(context.repository.identifier_prefix, identifier);
    if (local_id.empty()) return missing_page();
    const Store::FoundRecord found = context.store.get(local_id);
    if (found.batch.size() == 0 || !is_visible(context.repository, found.batch.header(0)))
        return missing_page();
    const Header& header = found.batch.header(0);
    PageContent page{.kind = "record", .status = header.deleted ? 410 : 200};
    const Columns columns = read_columns(question, found.batch);
    append_item(page, question, identifier, header, columns);
    append_paths(page.xml, question, header);
    append_formats_of(page, question, found, all);
    return page;
}

}  // namespace

PageContent record_page(const PageQuestion& question, std::string_view identifier) {
    return content_of(question, identifier, true);
}

PageContent record_summary(const PageQuestion& question, std::string_view identifier) {
    return content_of(question, identifier, false);
}

}  // namespace oai
