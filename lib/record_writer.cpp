// SPDX-License-Identifier: MIT
#include "record_writer.h"

#include <algorithm>

#include "base/timing.h"
#include "identifier.h"

namespace oai {
namespace {

// An about stylesheet may require what few records have: then most slices need no transform.
bool is_wanted(const Format& about, const Slice& slice) {
    for (int i = 0; i < slice.size(); ++i) {
        if (!slice.header(i).deleted && has_format(about, slice, i)) return true;
    }
    return false;
}

Dissemination nothing_of(const Slice& slice) {
    Dissemination out;
    out.pieces.resize(static_cast<std::size_t>(slice.size()), {0, 0});
    return out;
}

}  // namespace

std::optional<Seconds> since_of(const Format& format, const Horizon& horizon) {
    return format.since && *format.since <= horizon.h ? format.since : std::nullopt;
}

bool is_shown(const Repository& repository, const Header& header) {
    return !header.deleted || repository.facts.deleted_record != DeletedRecord::no;
}

bool has_format(const Format& format, const Slice& slice, int i) {
    if (slice.header(i).deleted) return true;
    const auto is_there = [&](const std::string& name) {
        for (int column = 0; column < slice.columns(); ++column)
            if (slice.shown_name(column) == name && slice.has_value(i, column)) return true;
        return false;
    };
    return std::all_of(format.requires_columns.begin(), format.requires_columns.end(), is_there);
}

RecordWriter::RecordWriter(const Context& context, const Format& format, bool with_metadata, Account& account)
    : context_(context), format_(format), with_metadata_(with_metadata), account_(account),
      excluded_(context.excluded()), metadata_{format} {
    if (!with_metadata) return;
    for (const Format* about : context.formats->abouts_of(format)) abouts_.push_back({*about});
}

const std::string* RecordWriter::Part::failure(int i) {
    const auto& failures = made.failures;
    while (next_failure < failures.size() && failures[next_failure].index < i) ++next_failure;
    return next_failure < failures.size() && failures[next_failure].index == i ? &failures[next_failure].why : nullptr;
}

Dissemination RecordWriter::disseminated(const Format& stylesheet, const Slice& slice) const {
    const Repository& repository = context_.repository;
    return disseminate(stylesheet, slice, repository.identifier_prefix,
                       {.compiled = repository.formats.compiled,
                        .check_every = repository.formats.compiled_check_every},
                       stylesheet.is_about ? format_.metadata_namespace : std::string_view());
}

RecordWriter::Made RecordWriter::make(const Slice& slice) const {
    Made made;
    if (!with_metadata_) return made;
    timed(made.took, [&] {
        made.metadata = disseminated(format_, slice);
        for (const Part& about : abouts_) {
            made.abouts.push_back(is_wanted(about.stylesheet, slice) ? disseminated(about.stylesheet, slice)
                                                                     : nothing_of(slice));
        }
    });
    return made;
}

bool RecordWriter::takes_long() const {
    const auto by_libxslt = [this](const Format& stylesheet) {
        return !context_.repository.formats.compiled || !stylesheet.compiled || stylesheet.compiled->emission() == nullptr;
    };
    return with_metadata_ && (by_libxslt(format_) || std::any_of(abouts_.begin(), abouts_.end(), [&](const Part& about) {
                                  return by_libxslt(about.stylesheet);
                              }));
}

void RecordWriter::begin(const Slice& slice, std::optional<Seconds> since, Made made) {
    slice_ = &slice;
    since_ = since;
    has_room_ = false;
    if (!with_metadata_) return;
    account_.transform += made.took;
    take(metadata_, std::move(made.metadata));
    for (std::size_t i = 0; i < abouts_.size(); ++i) take(abouts_[i], std::move(made.abouts[i]));
}

void RecordWriter::take(Part& part, Dissemination made) {
    part.next_failure = 0;
    part.made = std::move(made);
    if (const auto& difference = part.made.difference) {
        account_.difference = {identifier_text(context_.repository.identifier_prefix, slice_->header(difference->index).local_id),
                               difference->why};
    }
}

RecordWriter::Outcome RecordWriter::fail(const Header& header, const std::string& why) {
    account_.bad_records.push_back({identifier_text(context_.repository.identifier_prefix, header.local_id), why});
    return Outcome::failed;
}

// For the whole slice at once.
void RecordWriter::make_room(std::string& body) {
    constexpr std::size_t kHeaderBytes = 400;  // a guess
    std::size_t bytes = metadata_.made.text.size() + static_cast<std::size_t>(slice_->size()) * kHeaderBytes;
    for (const Part& about : abouts_) bytes += about.made.text.size();
    body.reserve(body.size() + bytes);
    has_room_ = true;
}

// "" or why record i cannot be given out whole.
std::string RecordWriter::why_not(int i) {
    if (const std::string* why = metadata_.failure(i)) return *why;
    if (metadata_.made.of(i).empty()) return "the stylesheet made no element";
    for (Part& about : abouts_) {
        const std::string* why = about.failure(i);
        if (why != nullptr && has_format(about.stylesheet, *slice_, i)) return about.stylesheet.prefix + ": " + *why;
    }
    return "";
}

void RecordWriter::append_parts(std::string& body, int i) const {
    body += "<metadata>";
    body += metadata_.made.of(i);
    body += "</metadata>";
    for (const Part& about : abouts_) {
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
        KnownSet& known = known_sets_[static_cast<unsigned>(id) % known_sets_.size()];
        if (known.id != id || known.spec.empty()) {
            context_.store.set_specs({&id, 1}, set_specs_);
            known = {id, set_specs_.back()};
        } else {
            set_specs_.push_back(known.spec);
        }
    }
}

RecordWriter::Outcome RecordWriter::write(Envelope& out, int i) {
    const Header& header = slice_->header(i);
    if (!has_room_) make_room(out.body());
    if (!is_shown(context_.repository, header) || !has_format(format_, *slice_, i)) return Outcome::left_out;
    if (excluded_->has(format_.prefix, header.seq)) return Outcome::excluded;

    const bool with_metadata = with_metadata_ && !header.deleted;
    if (with_metadata) {
        if (const std::string why = why_not(i); !why.empty()) return fail(header, why);
    }

    find_set_specs(header);
    if (with_metadata_) out.body() += "<record>";
    out.header(header, context_.repository.identifier_prefix, since_ ? std::max(*since_, header.datestamp) : header.datestamp,
               set_specs_);
    if (with_metadata) append_parts(out.body(), i);
    if (with_metadata_) out.body() += "</record>\n";
    ++account_.records;
    return Outcome::written;
}

}  // namespace oai
