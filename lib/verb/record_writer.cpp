// SPDX-License-Identifier: MIT
#include "verb/record_writer.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "protocol/identifier.h"

namespace oai {
namespace {

constexpr std::string_view kStartOfRecord = "<record>", kEndOfRecord = "</record>\n",
                           kStartOfMetadata = "<metadata>", kEndOfMetadata = "</metadata>";

// Whether any record of the batch has the format. If a stylesheet requires a rare column, most
// batches need no transform.
bool is_needed(const Format& stylesheet, const RecordBatch& batch) {
    for (int i = 0; i < batch.size(); ++i)
        if (!batch.header(i).deleted && has_format(stylesheet, batch, i)) return true;
    return false;
}

}  // namespace

OaiError unknown_format(std::string_view prefix) {
    return {ErrorCode::cannot_disseminate_format,
            "The metadataPrefix " + std::string(prefix) +
                " is unknown here; ListMetadataFormats lists them.",
            "unknown",
            {std::string(prefix)}};
}

RecordWriter::RecordWriter(const Context& context, const Format& format, bool with_metadata)
    : context_(context), format_(format), with_metadata_(with_metadata), metadata_{format} {
    if (!with_metadata) return;
    for (const Format* about : context.formats->abouts_of(format)) abouts_.push_back({*about});
}

ColumnNames RecordWriter::columns() const {
    if (!with_metadata_) return format_.requires_columns;
    ColumnNames columns = columns_of(format_);
    for (const StylesheetOutput& about : abouts_) {
        const ColumnNames more = columns_of(about.stylesheet);
        if (!columns || !more) return std::nullopt;
        columns->insert(columns->end(), more->begin(), more->end());
    }
    return columns;
}

const std::string* RecordWriter::StylesheetOutput::failure(int i) const {
    const auto found = std::ranges::find(records.failures, i, &RenderedRecords::Failure::index);
    return found == records.failures.end() ? nullptr : &found->why;
}

void RecordWriter::begin(const RecordBatch& batch, std::optional<Seconds> since) {
    batch_ = &batch;
    since_ = since;
    if (!with_metadata_) return;
    measure(stats_.transform, [&] {
        transform(metadata_);
        for (StylesheetOutput& about : abouts_) transform(about);
    });
}

void RecordWriter::transform(StylesheetOutput& output) {
    const Format& stylesheet = output.stylesheet;
    const Repository& repository = context_.repository;
    output.records = {};
    output.records.pieces.resize(static_cast<std::size_t>(batch_->size()), {0, 0});
    if (!is_needed(stylesheet, *batch_)) return;
    output.records =
        disseminate(stylesheet, *batch_, repository.identifier_prefix,
                    {.compiled = repository.formats.compiled,
                     .check_every = repository.formats.compiled_check_every},
                    {.metadata_namespace =
                         stylesheet.is_about ? format_.metadata_namespace : std::string_view(),
                     .base_url = repository.facts.base_url});
    if (const auto& difference = output.records.difference)
        stats_.difference = {identifier_text(repository.identifier_prefix,
                                             batch_->header(difference->index).local_id),
                             difference->why};
}

// Returns "" or why record i cannot be disseminated completely.
std::string RecordWriter::why_failed(int i) const {
    if (const std::string* why = metadata_.failure(i)) return *why;
    if (metadata_.records.of(i).empty()) return "the stylesheet made no element";
    for (const StylesheetOutput& about : abouts_) {
        const std::string* why = about.failure(i);
        if (why != nullptr && has_format(about.stylesheet, *batch_, i))
            return about.stylesheet.prefix + ": " + *why;
    }
    return "";
}

void RecordWriter::append_parts(std::string& body, int i) const {
    body += kStartOfMetadata;
    body += metadata_.records.of(i);
    body += kEndOfMetadata;
    for (const StylesheetOutput& about : abouts_) {
        const std::string_view element = about.records.of(i);
        if (element.empty()) continue;
        body += "<about>";
        body += element;
        body += "</about>";
    }
}

RecordWriter::Outcome RecordWriter::write(Envelope& out, int i) {
    const Header& header = batch_->header(i);
    if (i == 0) {  // once for the batch, since text that grows record by record is copied often
        constexpr std::size_t kHeaderBytes = 400;  // a guess
        out.body().reserve(out.bytes() + metadata_.records.text.size() +
                           static_cast<std::size_t>(batch_->size()) * kHeaderBytes);
    }
    if (!is_visible(context_.repository, header) || !has_format(format_, *batch_, i))
        return Outcome::left_out;

    const bool with_metadata = with_metadata_ && !header.deleted;
    if (with_metadata) {
        if (std::string why = why_failed(i); !why.empty()) {
            stats_.bad_records.push_back(
                {identifier_text(context_.repository.identifier_prefix, header.local_id),
                 std::move(why)});
            return Outcome::failed;
        }
    }

    set_specs_.clear();
    if (context_.repository.facts.sets)
        for (const int id : header.set_ids) set_specs_.push_back(batch_->set_spec(id));
    if (with_metadata_) out.body() += kStartOfRecord;
    out.header(header, context_.repository.identifier_prefix,
               since_ ? std::max(*since_, header.datestamp) : header.datestamp, set_specs_);
    if (with_metadata) append_parts(out.body(), i);
    if (with_metadata_) out.body() += kEndOfRecord;
    ++stats_.records;
    return Outcome::written;
}

}  // namespace oai
