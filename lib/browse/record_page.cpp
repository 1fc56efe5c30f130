// SPDX-License-Identifier: MIT
// The page of one record: what it is, where it lies in the sets, where a web archive shows its
// content and what else it has of that address, how to cite it, its metadata in all formats.
#include <chrono>

#include "browse/citation_format.h"
#include "browse/markup.h"
#include "browse/record_facts.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/serialiser.h"
#include "xml/shorten.h"

namespace oai {
namespace {

// Of what one record may make a page of. A longer document is cut short, or only named if that does
// not help; once the formats so far have taken the time, the others are only named.
constexpr std::size_t kMaxBytes = 20'000;           // of the record in one format, uncut
constexpr std::size_t kMaxDocumentBytes = 200'000;  // and cut short
constexpr xml::ShortenLimits kLimits{.elements = 100, .text_bytes = 2'000};
constexpr std::chrono::milliseconds kMaxTime{500};  // of the processor

// Of the other captures of the address.
constexpr int kReadCaptures = 12;
constexpr int kShownCaptures = 5;

// Of this thread, so that a page is whole on a busy machine as well.
std::chrono::nanoseconds processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

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
// Notes the Dublin Core that it finds.
void append_format(std::string& out, const PageQuestion& question, const Format& format,
                   const Store::FoundRecord& found, std::optional<DublinCore>& dc) {
    std::string document;
    const RecordWriter::Outcome outcome =
        append_records(document, question, Verb::get_record, format, found.batch, found.horizon);
    if (outcome == RecordWriter::Outcome::left_out) return;
    const bool failed = outcome != RecordWriter::Outcome::written;
    if (!failed && format.prefix == "oai_dc") dc = dublin_core_in(document);
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

// Returns the Dublin Core.
std::optional<DublinCore> append_all_formats(std::string& out, const PageQuestion& question,
                                             const Store::FoundRecord& found) {
    std::optional<DublinCore> dc;
    const auto began = processor_time();
    for (const auto& format : question.context.formats->formats()) {
        if (!format->visible) continue;
        if (processor_time() - began < kMaxTime)
            append_format(out, question, *format, found, dc);
        else if (has_format(*format, found.batch, 0))
            markup::empty(out, "disseminated", {{"prefix", format->prefix}, {"too-long", true}});
    }
    return dc;
}

void append_paths(std::string& out, const RecordFacts& facts, const SetPaths& paths) {
    const std::size_t all = facts.header().set_ids.size();
    const std::size_t more = paths.empty() || all < kMaxShownSets ? 0 : all - kMaxShownSets;
    markup::open(out, "paths", {{"more", static_cast<std::int64_t>(more)}});
    for (const std::vector<SetNode>& path : paths) append_sets(out, "path", path);
    markup::close(out, "paths");
}

// Asked of models alone that have the columns of a web archive.
void append_captures(std::string& out, const PageQuestion& question, const RecordFacts& facts) {
    if (!facts.is_capture() || facts.surt.empty()) return;
    markup::open(out, "captures");
    int shown = 0;
    for (const AddressCapture& capture : question.queries.captures(facts.surt, kReadCaptures)) {
        if (capture.local_id == facts.header().local_id || shown == kShownCaptures) continue;
        ++shown;
        const std::string identifier =
            identifier_text(question.context.repository.identifier_prefix, capture.local_id);
        markup::empty(out, "capture",
                      {{"path", record_path(identifier)}, {"time", print_datestamp(capture.time)}});
    }
    markup::close(out, "captures");
}

void append_citation(std::string& out, std::string_view style, const CitationText& pieces) {
    markup::open(out, "citation", {{"style", style}});
    for (const CitationPiece& piece : pieces) {
        markup::open(out, "piece",
                     {{"word", piece.word}, {"title", piece.kind == CitationPiece::Kind::title}});
        xml::append_text(out, piece.value);
        markup::close(out, "piece");
    }
    markup::close(out, "citation");
}

void append_item(PageContent& page, const PageQuestion& question, const RecordFacts& facts) {
    page.image_origin = shown_origin(facts.image, question.browse.images);
    markup::empty(page.xml, "item",
                  {{"identifier", facts.identifier},
                   {"path", record_path(facts.identifier)},
                   {"datestamp", print_datestamp(facts.header().datestamp)},
                   {"number", facts.header().seq},
                   {"deleted", facts.header().deleted},
                   {"replay", facts.replay},
                   {"captured", facts.is_capture() ? facts.captured : ""},
                   {"live", facts.is_capture() ? facts.captured_url : ""},
                   {"image", facts.image},
                   {"image-shown", !page.image_origin.empty()}});
}

}  // namespace

PageContent record_page(const PageQuestion& question, std::string_view identifier) {
    const std::optional<RecordFacts> facts = find_facts(question, identifier);
    if (!facts) return missing_page();
    const bool deleted = facts->header().deleted;
    PageContent page{.kind = "record", .status = deleted ? 410 : 200};
    append_item(page, question, *facts);
    const SetPaths sets = set_paths(question, *facts);
    append_paths(page.xml, *facts, sets);
    append_captures(page.xml, question, *facts);
    const std::optional<DublinCore> dc = append_all_formats(page.xml, question, facts->found);
    if (deleted) return page;
    std::optional<Citation> citation;
    if (dc) {
        citation = citation_of(question, *facts, *dc);
        append_citation(page.xml, "iso690", citation_iso690(*citation));
        append_citation(page.xml, "apa", citation_apa(*citation));
    }
    const std::string links = link_header(
        typed_links(question, *facts, dc ? &*dc : nullptr, citation ? &*citation : nullptr, sets));
    if (!links.empty()) page.headers.emplace_back("Link", links);
    return page;
}

}  // namespace oai
