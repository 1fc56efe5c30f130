// SPDX-License-Identifier: MIT
#include "tools/aggregate/database_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pg/binary.h"
#include "protocol/record.h"
#include "tools/aggregate/queries.h"
#include "tools/harvest/list_walk.h"
#include "tools/load/queries.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::aggregate {
namespace {

using harvest::ListPosition;

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;
constexpr std::int64_t kMaxPrintedRefusals = 20;
constexpr std::int64_t kMostUnquiet = 3;  // harvests whose whole list moved, one after the other
constexpr std::size_t kMostDoubtful = 200;
constexpr int kMostAskedAgain = 100;  // of the records that could not be taken, in one run
constexpr const char* kDescriptionNamespace = "http://www.openarchives.org/OAI/2.0/oai_dc/";

}  // namespace

DatabaseSink::DatabaseSink(pg::Connection& connection, const Source& source,
                           const Normaliser& normaliser, harvest::HarvestListener& listener,
                           DatabaseSinkOptions options)
    : connection_(connection),
      source_(source),
      normaliser_(normaliser),
      listener_(listener),
      options_(std::move(options)),
      origins_(options_.own_url, options_.own_prefix),
      writer_(connection, source, options_.deletes_all),
      base_url_(public_url(source.base_url)),
      title_(source.name) {
    load_newest();
}

void DatabaseSink::load_newest() {
    const pg::Result row =
        connection_.query(queries::kNewestRecord, load::parameters(source_.id, kDescriptionPrefix));
    if (row.rows() > 0)
        newest_before_ = {std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1))};
}

std::optional<harvest::KnownRecord> DatabaseSink::unmet_newest() const {
    if (newest_before_.identifier.empty() || newest_met_) return std::nullopt;
    return harvest::KnownRecord{kDescriptionPrefix, newest_before_.identifier,
                                newest_before_.datestamp};
}

// A datestamp that is none would stay the newest for ever.
void DatabaseSink::note_newest(const harvest::Record& record) {
    newest_met_ |= record.identifier == newest_before_.identifier;
    const std::string date = harvest::date_text(record.datestamp);
    if (!date.empty() && date >= newest_.datestamp) newest_ = {record.identifier, date};
}

void DatabaseSink::identity(const harvest::RepositoryIdentity& identity) {
    wait_for_writer();
    if (const std::string told = public_url(identity.base_url); load::is_url(told))
        base_url_ = told;
    if (!identity.name.empty()) title_ = identity.name;
    deleted_record_ = identity.deleted_record;
    const pg::Result before = connection_.query(
        queries::kIdentity,
        load::parameters(source_.id, identity.name, identity.granularity, identity.deleted_record,
                         pg::array_literal(identity.admin_emails)));
    if (!source_.sets.empty())
        connection_.query(queries::kBeginDepartures,
                          load::parameters(source_.id, kDescriptionPrefix, identity.response_date));
    const bool was_days = before.rows() > 0 && before.bytes(0, 0).size() == 10;
    had_days_ = was_days && identity.has_seconds();
    if (before.rows() > 0) began_ = before.bytes(0, 1);
}

void DatabaseSink::sets(std::span<const harvest::SetInfo> sets) {
    wait_for_writer();
    std::vector<std::string> specs, names;
    for (const harvest::SetInfo& set : sets) {
        specs.push_back(load::set_path(set.spec));
        names.push_back(set.name.empty() ? set.spec : set.name);
    }
    const std::string all = pg::array_literal(specs);
    connection_.query(queries::kSets, load::parameters(source_.id, all, pg::array_literal(names)));
    connection_.query(queries::kNoteLostSets, load::parameters(source_.id, all));
}

// A format is its namespace: records of two namespaces under one prefix would be no format.
void DatabaseSink::formats(std::span<const harvest::FormatInfo> formats) {
    wait_for_writer();
    for (const harvest::FormatInfo& format : formats) {
        if (std::find(source_.formats.begin(), source_.formats.end(), format.prefix) ==
                source_.formats.end() ||
            format.name_space.empty())
            continue;
        const pg::Result known = connection_.query(
            queries::kFormat, load::parameters(format.prefix, format.schema, format.name_space));
        const std::string is(known.rows() > 0 ? known.bytes(0, 0) : "");
        if (!is.empty() && is != format.name_space)
            format_faults_[format.prefix] = fmt::format(
                "{}: its namespace is {} there, and {} in what is kept here under this prefix; "
                "its records are not taken",
                format.prefix, format.name_space, is);
    }
}

std::string DatabaseSink::format_fault(const std::string& prefix) {
    const auto found = format_faults_.find(prefix);
    return found == format_faults_.end() ? "" : found->second;
}

std::optional<ListPosition> DatabaseSink::unfinished(const std::string& prefix,
                                                     const std::string& set_spec) {
    flush();
    const pg::Result row =
        connection_.query(queries::kUnfinished, load::parameters(source_.id, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    ListPosition position;
    position.list = {prefix, set_spec, std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1))};
    position.token = row.bytes(0, 2);
    position.response_date = row.bytes(0, 3);
    position.records = pg::read_integer(row.bytes(0, 4));
    position.pages = pg::read_integer(row.bytes(0, 5));
    if (!row.is_null(0, 6)) position.list_size = pg::read_integer(row.bytes(0, 6));
    position.pages_missing = pg::read_integer(row.bytes(0, 7));
    walk_ = pg::read_integer(row.bytes(0, 8));
    position.counts = harvest::read_counts(std::string(row.bytes(0, 9)));
    newest_ = {std::string(row.bytes(0, 10)), std::string(row.bytes(0, 11))};
    position_ = position;
    unquiet_ = position.counts.unquiet;
    begun_here_ = false;
    return position;
}

std::optional<std::string> DatabaseSink::last_complete(const std::string& prefix,
                                                       const std::string& set_spec) {
    wait_for_writer();
    const pg::Result row =
        connection_.query(queries::kLastComplete, load::parameters(source_.id, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    // What changed after the last harvest on that day may now have the first second of the day.
    return std::string(row.bytes(0, 0)).substr(0, had_days_ ? 10 : std::string::npos);
}

void DatabaseSink::begin(const ListPosition& start) {
    flush();
    const pg::Result row = connection_.query(
        queries::kNewWalk, load::parameters(source_.id, start.list.prefix, start.list.set_spec));
    walk_ = pg::read_integer(row.bytes(0, 0));
    unquiet_ = pg::read_integer(row.bytes(0, 1));
    begun_here_ = true;
    doubtful_.clear();
    position_ = start;
    newest_ = start.list.from.empty() ? NewestRecord{} : newest_before_;
    write(WalkEnd::none);
    wait_for_writer();
}

void DatabaseSink::take(std::span<const harvest::Record> records, const ListPosition& after) {
    if (is_of_departures(after.list))
        gather_departures(records, after.list.prefix);
    else
        for (const harvest::Record& record : records) gather(record, after.list.prefix);
    position_ = after;  // only now that all of the page is gathered
    position_changed_ = true;
    const bool full = batch_.size() >= static_cast<std::size_t>(options_.batch_records) ||
                      batch_.bytes() >= kBatchBytes;
    if (full) write(WalkEnd::none);
}

// Whether a list that moved each time that it was walked is taken for whole nevertheless.
bool DatabaseSink::is_believed(const ListPosition& end) const {
    return end.counts.moved == 0 || end.records > harvest::kMostWalkedAgain ||
           (end.list.from.empty() && unquiet_ >= kMostUnquiet);
}

void DatabaseSink::finish(const ListPosition& end) {
    const bool believed = is_believed(end), whole = end.list.from.empty();
    unquiet_ = end.counts.moved > 0 ? unquiet_ + 1 : 0;
    position_ = end;
    write(believed ? WalkEnd::complete : WalkEnd::incomplete);
    wait_for_writer();
    write_refused();
    if (believed && whole && begun_here_ && end.list.until.empty() && end.list.set_spec.empty())
        connection_.query(queries::kForgetOld,
                          load::parameters(source_.id, end.list.prefix, began_));
}

void DatabaseSink::abandon(const ListPosition& end) {
    position_ = end;
    write(WalkEnd::incomplete);
    wait_for_writer();
}

void DatabaseSink::flush() {
    if (position_changed_) write(WalkEnd::none);
    wait_for_writer();
    write_refused();
}

// A batch is written while the next one is gathered.
void DatabaseSink::write(WalkEnd ending) {
    wait_for_writer();
    write_refused();
    position_.counts.unquiet = unquiet_;
    writing_ =
        std::async(std::launch::async,
                   [this, work = BatchJob{std::exchange(batch_, {}), position_, walk_, ending,
                                          title_, began_, std::exchange(refused_ids_, {}),
                                          newest_}]() mutable { return writer_.write(work); });
    position_changed_ = false;
}

// Waits until this thread may use the connection again. What was gathered after a batch that could
// not be written is dropped, so that no position is stored behind records that are not there.
void DatabaseSink::wait_for_writer() {
    if (!writing_.valid()) return;
    WriteCounts counts;
    try {
        counts = writing_.get();
    } catch (...) {
        batch_.clear();
        refused_ids_.clear();
        position_changed_ = false;
        throw;
    }
    for (const WriteCounts::Refusal& refusal : std::exchange(counts.refusals, {}))
        note(position_.list.prefix, refusal.identifier, refusal.why, 1);
    counts_ += counts;
}

// Notes a record by name; tries: 0 where it was taken nevertheless, but not all of it.
void DatabaseSink::note(const std::string& prefix, const std::string& identifier,
                        const std::string& why, int tries) {
    if ((counts_.refused += tries) <= kMaxPrintedRefusals) listener_.note(identifier + ": " + why);
    refused_.push_back({prefix, identifier, why, tries});
}

bool DatabaseSink::refuse(const std::string& prefix, const std::string& identifier,
                          const std::string& why) {
    if (!why.empty()) ++counts_.refused;
    refused_.push_back({prefix, identifier, why, 1});
    spare(identifier);
    return true;
}

// What was refused stays so if the batch is not written: its records come again.
void DatabaseSink::write_refused() {
    if (!refused_.empty())
        connection_.query(
            queries::kRefuse,
            load::parameters(
                source_.id, column(refused_, &Refused::prefix),
                column(refused_, &Refused::identifier), column(refused_, &Refused::why),
                column(refused_, [](const Refused& r) { return std::to_string(r.tries); })));
    refused_.clear();
}

std::vector<std::string> DatabaseSink::refused(const std::string& prefix) {
    std::vector<std::string> identifiers;
    if (!asked_.insert(prefix).second) return identifiers;
    flush();
    const pg::Result rows =
        connection_.query(queries::kRefused, load::parameters(source_.id, prefix, kMostAskedAgain));
    for (int i = 0; i < rows.rows(); ++i) identifiers.emplace_back(rows.bytes(i, 0));
    return identifiers;
}

void DatabaseSink::forget(const std::string& prefix, const std::string& identifier) {
    wait_for_writer();
    connection_.query(
        queries::kForget,
        load::parameters(source_.id, prefix, pg::array_literal({identifier}), "infinity"));
}

void DatabaseSink::spare(const std::string& identifier) {
    HarvestedRecord ids;
    choose_local_id(identifier, ids);
    if (source_.delete_missing && !ids.item.local_id.empty())
        refused_ids_.insert(refused_ids_.end(), {ids.item.local_id, ids.other_local_id});
}

std::vector<std::string> DatabaseSink::unmet(const ListPosition& end, std::size_t most) {
    std::vector<std::string> identifiers = std::exchange(doubtful_, {});
    const harvest::ListSelection& list = end.list;
    if (!source_.delete_missing || list.prefix != kDescriptionPrefix || !list.set_spec.empty() ||
        !list.from.empty() || !list.until.empty() || !is_believed(end) ||
        (end.records == 0 && !options_.deletes_all))
        return identifiers;
    write(WalkEnd::none);
    wait_for_writer();
    const pg::Result rows = connection_.query(
        queries::kUnmet, load::parameters(source_.id, list.prefix, walk_,
                                          static_cast<std::int64_t>(most - identifiers.size())));
    for (int i = 0; i < rows.rows(); ++i) identifiers.emplace_back(rows.bytes(i, 0));
    return identifiers;
}

// The list of all headers, of a source that is harvested by sets.
bool DatabaseSink::is_of_departures(const harvest::ListSelection& list) const {
    return !source_.sets.empty() && list.set_spec.empty();
}

// Who is here, and is deleted there, or in none of our sets any more, leaves. Whose header never
// named one of these sets cannot be judged. Others are met, and come by the lists of their sets;
// whose header is not the one that came by them is in doubt, and asked for.
void DatabaseSink::gather_departures(std::span<const harvest::Record> headers,
                                     const std::string& prefix) {
    wait_for_writer();
    std::vector<std::string> local_ids, wanted;
    for (const std::string& set : source_.sets)
        wanted.push_back(source_.label + ":" + load::set_path(set));
    const auto is_wanted = [&](const std::string& name) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
            return name == w || name.starts_with(w + ":");
        });
    };
    for (const harvest::Record& header : headers) {
        HarvestedRecord ids;
        choose_local_id(header.identifier, ids);
        local_ids.insert(local_ids.end(), {ids.item.local_id, ids.other_local_id});
    }
    const pg::Result rows = connection_.query(
        queries::kFiled, load::parameters(source_.id, prefix, pg::array_literal(local_ids)));
    struct Filed {
        std::string datestamp;
        bool is_wanted;
    };
    std::map<std::string, Filed> known;  // by their identifier
    for (int i = 0; i < rows.rows(); ++i) {
        const auto names = pg::read_texts(rows.bytes(i, 2));
        known[std::string(rows.bytes(i, 0))] = {std::string(rows.bytes(i, 1)),
                                                std::any_of(names.begin(), names.end(), is_wanted)};
    }
    for (const harvest::Record& header : headers) {
        const auto here = known.find(header.identifier);
        const bool is_here = here != known.end();
        const auto there = collections_of(source_, header.set_specs);
        const bool is_there = std::any_of(there.begin(), there.end(), is_wanted);
        if (is_there && !header.metadata.empty()) {  // it was asked for
            gather(header, prefix);
            continue;
        }
        if (is_there && !header.deleted && doubtful_.size() < kMostDoubtful &&
            (!is_here || here->second.datestamp != header.datestamp) && !is_own(header))
            doubtful_.push_back(header.identifier);
        if (!is_here) continue;
        const bool leaves = here->second.is_wanted && !is_there;
        harvest::Record gone = header;
        gone.deleted = true;
        if (!header.deleted) gone.set_specs.clear();  // it stays in those that it was in
        if (header.deleted || leaves)
            gather(gone, prefix);
        else
            spare(header.identifier);
    }
}

// If records keep their identifiers, ours is noted beside, for the case that another source has the
// same. None is chosen if either is too long.
void DatabaseSink::choose_local_id(const std::string& identifier, HarvestedRecord& out) const {
    const std::string ours = our_local_id(source_, identifier);
    out.item.local_id = source_.their_identifiers ? their_local_id(identifier) : ours;
    if (source_.their_identifiers) out.other_local_id = ours;
    if (ours.empty()) out.item.local_id = "";
}

// A header without metadata shows where it comes from by its identifier alone.
bool DatabaseSink::is_own(const harvest::Record& record) const {
    return record.identifier.starts_with(options_.own_prefix) ||
           (record.metadata.empty() &&
            record.identifier.find('/' + options_.own_prefix) != std::string::npos);
}

void DatabaseSink::gather(const harvest::Record& record, const std::string& prefix) {
    const KnownOrigin before = origins_.find(record.abouts);
    const bool is_ours = before.ours || is_own(record);
    if (is_ours || before.depth > kMostOrigins) {
        if (++counts_.refused <= kMaxPrintedRefusals)
            listener_.note(record.identifier +
                           (is_ours ? ": comes from this repository"
                                    : ": has gone through more than eight repositories"));
        return spare(record.identifier);
    }
    if (prefix == kDescriptionPrefix) note_newest(record);
    HarvestedRecord out;
    choose_local_id(record.identifier, out);
    if (out.item.local_id.empty())
        return note(prefix, record.identifier, "an identifier that is too long", 1);
    out.identifier = record.identifier;
    out.datestamp = record.datestamp;
    out.deleted = record.deleted;
    out.item.collections = collections_of(source_, record.set_specs);
    out.item.all_collections = !record.deleted || !record.set_specs.empty();
    out.item.all_payloads = false;
    out.item.deleted = record.deleted;
    try {
        if (!record.deleted && record.metadata.empty())
            throw xml::Error("no metadata, and it is not deleted");
        if (prefix == kDescriptionPrefix)
            gather_description(record, before.description, out);
        else
            gather_payload(record, before.description, out);
        batch_.add(std::move(out));
        if (!before.fault.empty() && !record.deleted)
            note(prefix, record.identifier, "its provenance is left out: " + before.fault, 0);
    } catch (const xml::Error& e) {
        note(prefix, record.identifier, e.what(), 1);
        spare(record.identifier);
    }
}

void DatabaseSink::gather_description(const harvest::Record& record, const std::string& before,
                                      HarvestedRecord& out) {
    if (record.deleted) return;
    Normaliser::NormalisedRecord normal;
    try {
        normal = normaliser_.normalise(xml::parse_memory(record.metadata, "metadata"));
    } catch (const xml::Error& e) {
        normal = {xml::parse_memory(record.metadata, "metadata"), false};
        listener_.note(record.identifier + ": is kept as it came: " + e.what());
    }
    const bool whole = describe(normal.document.get(), out.item);
    out.item.origin = origin_of(record, kDescriptionNamespace, normal.altered || !whole, before);
}

void DatabaseSink::gather_payload(const harvest::Record& record, const std::string& before,
                                  HarvestedRecord& out) {
    if (record.deleted) return;
    out.payload = record.metadata;
    out.payload_namespace =
        xml::root_namespace(xml::parse_memory(record.metadata, "metadata").get());
    out.origin = origin_of(record, out.payload_namespace, false, before);
}

std::string DatabaseSink::origin_of(const harvest::Record& record, std::string_view name_space,
                                    bool altered, const std::string& before) const {
    return origin_description({.base_url = base_url_,
                               .identifier = record.identifier,
                               .datestamp = record.datestamp,
                               .metadata_namespace = name_space,
                               .harvest_date = record.response_date,
                               .altered = altered},
                              before);
}

}  // namespace oai::aggregate
