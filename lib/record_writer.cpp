// SPDX-License-Identifier: MIT
#include "record_writer.h"

#include <algorithm>

namespace oai {

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

std::optional<std::string_view> local_id_of(const Repository& repository, std::string_view identifier) {
    if (!identifier.starts_with(repository.identifier_prefix)) return std::nullopt;
    identifier.remove_prefix(repository.identifier_prefix.size());
    if (identifier.empty()) return std::nullopt;
    return identifier;
}

RecordWriter::RecordWriter(const Context& context, const Format& format, bool with_metadata, Account& account)
    : context_(context), format_(format), with_metadata_(with_metadata), account_(account),
      excluded_(context.excluded()) {}

void RecordWriter::begin(const Slice& slice, std::optional<Seconds> since) {
    slice_ = &slice;
    since_ = since;
    next_failure_ = 0;
    has_room_ = false;
    if (!with_metadata_) return;
    const Repository& repository = context_.repository;
    metadata_ = disseminate(format_, slice, repository.identifier_prefix,
                            {.compiled = repository.formats.compiled,
                             .check_every = repository.formats.compiled_check_every});
    if (const auto& difference = metadata_.difference) {
        account_.difference = {repository.identifier_prefix + std::string(slice.header(difference->index).local_id),
                               difference->why};
    }
}

RecordWriter::Outcome RecordWriter::fail(const Header& header, const std::string& why) {
    std::string identifier = context_.repository.identifier_prefix;
    identifier += header.local_id;
    account_.bad_records.push_back({std::move(identifier), why});
    return Outcome::failed;
}

// For the whole slice at once.
void RecordWriter::make_room(std::string& body) {
    constexpr std::size_t kHeaderBytes = 400;  // a guess
    body.reserve(body.size() + metadata_.text.size() + static_cast<std::size_t>(slice_->size()) * kHeaderBytes);
    has_room_ = true;
}

RecordWriter::Outcome RecordWriter::write(Envelope& out, int i) {
    const Header& header = slice_->header(i);
    if (!has_room_) make_room(out.body());
    if (!is_shown(context_.repository, header) || !has_format(format_, *slice_, i)) return Outcome::left_out;
    if (excluded_->has(format_.prefix, header.seq)) return Outcome::excluded;

    const bool with_metadata = with_metadata_ && !header.deleted;
    if (with_metadata) {
        const auto& failures = metadata_.failures;
        while (next_failure_ < failures.size() && failures[next_failure_].index < i) ++next_failure_;
        if (next_failure_ < failures.size() && failures[next_failure_].index == i) {
            return fail(header, failures[next_failure_].why);
        }
        if (metadata_.of(i).empty()) return fail(header, "the stylesheet made no element");
    }

    set_specs_.clear();
    if (context_.repository.facts.sets) context_.store.set_specs(header.set_ids, set_specs_);
    if (with_metadata_) out.body() += "<record>";
    out.header(header, context_.repository.identifier_prefix, since_ ? std::max(*since_, header.datestamp) : header.datestamp,
               set_specs_);
    if (with_metadata) {
        out.body() += "<metadata>";
        out.body() += metadata_.of(i);
        out.body() += "</metadata>";
    }
    if (with_metadata_) out.body() += "</record>\n";
    ++account_.records;
    return Outcome::written;
}

}  // namespace oai
