// SPDX-License-Identifier: MIT
#include "verb/record_writer.h"

#include <algorithm>

#include "base/timing.h"
#include "protocol/identifier.h"

namespace oai {
namespace {

// An about stylesheet may require what few records have: then most batches need no transform.
bool needs_transform(const Format& about, const RecordBatch& batch) {
    for (int i = 0; i < batch.size(); ++i) {
        if (!batch.header(i).deleted && has_format(about, batch, i)) return true;
    }
    return false;
}

RenderedRecords empty_output(const RecordBatch& batch) {
    RenderedRecords out;
    out.pieces.resize(static_cast<std::size_t>(batch.size()), {0, 0});
    return out;
}

}  // namespace

OaiError unknown_format(std::string_view prefix) {
    return {ErrorCode::cannot_disseminate_format,
            "The metadataPrefix " + std::string(prefix) +
                " is unknown here; ListMetadataFormats lists them."};
}

RecordWriter::RecordWriter(const Context& context, const Format& format, bool with_metadata)
    : context_(context),
      format_(format),
      with_metadata_(with_metadata),
      excluded_(context.excluded()),
      metadata_{format} {
    if (!with_metadata) return;
    for (const Format* about : context.formats->abouts_of(format)) abouts_.push_back({*about});
}

const std::string* RecordWriter::StylesheetOutput::failure(int i) {
    const auto& failures = made.failures;
    while (next_failure < failures.size() && failures[next_failure].index < i) ++next_failure;
    return next_failure < failures.size() && failures[next_failure].index == i
               ? &failures[next_failure].why
               : nullptr;
}

RenderedRecords RecordWriter::disseminated(const Format& stylesheet,
                                           const RecordBatch& batch) const {
    const Repository& repository = context_.repository;
    return disseminate(stylesheet, batch, repository.identifier_prefix,
                       {.compiled = repository.formats.compiled,
                        .check_every = repository.formats.compiled_check_every},
                       stylesheet.is_about ? format_.metadata_namespace : std::string_view());
}

RecordWriter::Made RecordWriter::make(const RecordBatch& batch) const {
    Made made;
    if (!with_metadata_) return made;
    measure(made.took, [&] {
        made.metadata = disseminated(format_, batch);
        for (const StylesheetOutput& about : abouts_) {
            made.abouts.push_back(needs_transform(about.stylesheet, batch)
                                      ? disseminated(about.stylesheet, batch)
                                      : empty_output(batch));
        }
    });
    return made;
}

bool RecordWriter::takes_long() const {
    const auto by_libxslt = [this](const Format& stylesheet) {
        return !context_.repository.formats.compiled || !stylesheet.compiled ||
               stylesheet.compiled->program() == nullptr;
    };
    return with_metadata_ &&
           (by_libxslt(format_) ||
            std::any_of(abouts_.begin(), abouts_.end(), [&](const StylesheetOutput& about) {
                return by_libxslt(about.stylesheet);
            }));
}

void RecordWriter::begin(const RecordBatch& batch, std::optional<Seconds> since, Made made) {
    batch_ = &batch;
    since_ = since;
    has_room_ = false;
    if (!with_metadata_) return;
    stats_.transform += made.took;
    take(metadata_, std::move(made.metadata));
    for (std::size_t i = 0; i < abouts_.size(); ++i) take(abouts_[i], std::move(made.abouts[i]));
}

void RecordWriter::take(StylesheetOutput& output, RenderedRecords made) {
    output.next_failure = 0;
    output.made = std::move(made);
    if (const auto& difference = output.made.difference) {
        stats_.difference = {identifier_text(context_.repository.identifier_prefix,
                                             batch_->header(difference->index).local_id),
                             difference->why};
    }
}

RecordWriter::Outcome RecordWriter::fail(const Header& header, const std::string& why) {
    stats_.bad_records.push_back(
        {identifier_text(context_.repository.identifier_prefix, header.local_id), why});
    return Outcome::failed;
}

// For the whole batch at once.
void RecordWriter::make_room(std::string& body) {
    constexpr std::size_t kHeaderBytes = 400;  // a guess
    std::size_t bytes =
        metadata_.made.text.size() + static_cast<std::size_t>(batch_->size()) * kHeaderBytes;
    for (const StylesheetOutput& about : abouts_) bytes += about.made.text.size();
    body.reserve(body.size() + bytes);
    has_room_ = true;
}

// "" or why record i cannot be given out whole.
std::string RecordWriter::why_not(int i) {
    if (const std::string* why = metadata_.failure(i)) return *why;
    if (metadata_.made.of(i).empty()) return "the stylesheet made no element";
    for (StylesheetOutput& about : abouts_) {
        const std::string* why = about.failure(i);
        if (why != nullptr && has_format(about.stylesheet, *batch_, i))
            return about.stylesheet.prefix + ": " + *why;
    }
    return "";
}

void RecordWriter::append_parts(std::string& body, int i) const {
    body += "<metadata>";
    body += metadata_.made.of(i);
    body += "</metadata>";
    for (const StylesheetOutput& about : abouts_) {
        const std::string_view element = about.made.of(i);
        if (element.empty()) continue;
        body += "<about>";
        body += element;
        body += "</about>";
    }
}

void RecordWriter::find_set_specs(const Header& header) {
    set_specs_.clear();
    if (!context_.repository.facts.sets) return;
    for (const int& id : header.set_ids) {
        CachedSetSpec& cached = cached_specs_[static_cast<unsigned>(id) % cached_specs_.size()];
        if (cached.id != id || cached.spec.empty()) {
            context_.store.set_specs({&id, 1}, set_specs_);
            cached = {id, set_specs_.back()};
        } else {
            set_specs_.push_back(cached.spec);
        }
    }
}

RecordWriter::Outcome RecordWriter::write(Envelope& out, int i) {
    const Header& header = batch_->header(i);
    if (!has_room_) make_room(out.body());
    if (!is_shown(context_.repository, header) || !has_format(format_, *batch_, i))
        return Outcome::left_out;
    if (excluded_->has(format_.prefix, header.seq)) return Outcome::excluded;

    const bool with_metadata = with_metadata_ && !header.deleted;
    if (with_metadata) {
        if (const std::string why = why_not(i); !why.empty()) return fail(header, why);
    }

    find_set_specs(header);
    if (with_metadata_) out.body() += "<record>";
    out.header(header, context_.repository.identifier_prefix,
               since_ ? std::max(*since_, header.datestamp) : header.datestamp, set_specs_);
    if (with_metadata) append_parts(out.body(), i);
    if (with_metadata_) out.body() += "</record>\n";
    ++stats_.records;
    return Outcome::written;
}

}  // namespace oai
