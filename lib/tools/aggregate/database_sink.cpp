// SPDX-License-Identifier: MIT
#include "tools/aggregate/database_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pg/binary.h"
#include "protocol/record.h"
#include "tools/aggregate/description.h"
#include "tools/aggregate/queries.h"
#include "tools/load/queries.h"
#include "xml/document.h"

namespace oai::aggregate {
namespace {

using harvest::ListPosition;

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;
constexpr std::int64_t kMaxPrintedRefusals = 20;
// A base URL that the whole world may read in the provenance of records.
std::string without_password(std::string url) {
    const auto scheme = url.find("://");
    const auto begin = scheme == url.npos ? 0 : scheme + 3;
    const auto end = std::min(url.find_first_of("/?#", begin), url.size());
    const auto at = url.rfind('@', end);
    if (at != url.npos && at >= begin && at < end) url.erase(begin, at + 1 - begin);
    return url;
}

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
      writer_(connection, source, options_.deletes_all),
      base_url_(without_password(source.base_url)),
      title_(source.name) {
    load_newest();
}

void DatabaseSink::load_newest() {
    const pg::Result row = connection_.query(
        queries::kNewestRecord, pg::Parameters().add(source_.id).add(kDescriptionPrefix));
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
    if (record.datestamp >= newest_.datestamp && parse_datestamp(record.datestamp))
        newest_ = {record.identifier, record.datestamp};
}

void DatabaseSink::identity(const harvest::RepositoryIdentity& identity) {
    wait_for_writer();
    base_url_ = without_password(identity.base_url.empty() ? identity.address : identity.base_url);
    if (!identity.name.empty()) title_ = identity.name;
    deleted_record_ = identity.deleted_record;
    const pg::Result before =
        connection_.query(queries::kIdentity, pg::Parameters()
                                                  .add(source_.id)
                                                  .add(identity.name)
                                                  .add(identity.base_url)
                                                  .add(identity.granularity)
                                                  .add(identity.deleted_record)
                                                  .add(identity.earliest_datestamp)
                                                  .add(pg::array_literal(identity.admin_emails))
                                                  .add(pg::array_literal(identity.friends)));
    const bool was_days = before.rows() > 0 && before.bytes(0, 0).size() == 10;
    had_days_ = was_days && identity.has_seconds();
}

void DatabaseSink::sets(std::span<const harvest::SetInfo> sets) {
    wait_for_writer();
    std::vector<std::string> specs, names;
    for (const harvest::SetInfo& set : sets) {
        specs.push_back(load::set_path(set.spec));
        names.push_back(set.name.empty() ? set.spec : set.name);
    }
    const std::string all = pg::array_literal(specs);
    connection_.query(queries::kSets,
                      pg::Parameters().add(source_.id).add(all).add(pg::array_literal(names)));
    connection_.query(queries::kNoteLostSets, pg::Parameters().add(source_.id).add(all));
}

std::optional<ListPosition> DatabaseSink::unfinished(const std::string& prefix,
                                                     const std::string& set_spec) {
    flush();
    const pg::Result row =
        connection_.query(queries::kUnfinished, list_key(source_, prefix, set_spec));
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
    return position;
}

std::optional<std::string> DatabaseSink::last_complete(const std::string& prefix,
                                                       const std::string& set_spec) {
    wait_for_writer();
    const pg::Result row =
        connection_.query(queries::kLastComplete, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    // What changed after the last harvest on that day, when there were only days, may now have the
    // first second of the day.
    return std::string(row.bytes(0, 0)).substr(0, had_days_ ? 10 : std::string::npos);
}

void DatabaseSink::begin(const ListPosition& start) {
    flush();
    walk_ = pg::read_integer(connection_.query(queries::kNewWalk).bytes(0, 0));
    position_ = start;
    newest_ = start.list.from.empty() ? NewestRecord{} : newest_before_;
    write(WalkEnd::none);
    wait_for_writer();
}

void DatabaseSink::take(std::span<const harvest::Record> records, const ListPosition& after) {
    for (const harvest::Record& record : records) gather(record, after.list.prefix);
    position_ = after;  // only now that all of the page is gathered
    position_changed_ = true;
    const bool full = batch_.size() >= static_cast<std::size_t>(options_.batch_records) ||
                      batch_.bytes() >= kBatchBytes;
    if (full) write(WalkEnd::none);
}

void DatabaseSink::finish(const ListPosition& end) {
    position_ = end;
    write(WalkEnd::complete);
    wait_for_writer();
}

void DatabaseSink::abandon(const ListPosition& end) {
    position_ = end;
    write(WalkEnd::incomplete);
    wait_for_writer();
}

void DatabaseSink::flush() {
    if (position_changed_) write(WalkEnd::none);
    wait_for_writer();
}

// A batch is written while the next one is gathered.
void DatabaseSink::write(WalkEnd ending) {
    wait_for_writer();
    writing_ =
        std::async(std::launch::async,
                   [this, work = BatchJob{std::exchange(batch_, {}), position_, walk_, ending,
                                          title_, std::exchange(refused_ids_, {}),
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
        refuse(refusal.identifier, refusal.why);
    counts_ += counts;
}

void DatabaseSink::refuse(const std::string& identifier, const std::string& why) {
    if (++counts_.refused <= kMaxPrintedRefusals) listener_.note(identifier + ": " + why);
}

// Refuses a record that cannot be kept, and remembers that the source has it.
void DatabaseSink::pass_over(const harvest::Record& record, const HarvestedRecord& gathered,
                             const std::string& why) {
    refuse(record.identifier, why);
    if (source_.delete_missing)
        refused_ids_.insert(refused_ids_.end(), {gathered.item.local_id, gathered.other_local_id});
}

// If records keep their identifiers, ours is noted beside, for the case that another source has the
// same. None is chosen if either is too long.
void DatabaseSink::choose_local_id(const harvest::Record& record, HarvestedRecord& out) {
    const std::string ours = our_local_id(source_, record.identifier);
    out.item.local_id = source_.their_identifiers ? their_local_id(record.identifier) : ours;
    if (source_.their_identifiers) out.other_local_id = ours;
    if (ours.empty()) out.item.local_id = "";
}

void DatabaseSink::gather(const harvest::Record& record, const std::string& prefix) {
    if (record.identifier.starts_with(options_.own_prefix))
        return refuse(record.identifier, "comes from this repository");
    if (prefix == kDescriptionPrefix) note_newest(record);
    HarvestedRecord out;
    choose_local_id(record, out);
    if (out.item.local_id.empty())
        return refuse(record.identifier, "an identifier that is too long");
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
            gather_description(record, out);
        else
            gather_payload(record, out);
        batch_.add(std::move(out));
    } catch (const xml::Error& e) {
        pass_over(record, out, e.what());
    }
}

void DatabaseSink::gather_description(const harvest::Record& record, HarvestedRecord& out) {
    if (record.deleted) return;
    Normaliser::NormalisedRecord normal;
    try {
        normal = normaliser_.normalise(xml::parse_memory(record.metadata, "metadata"));
    } catch (const xml::Error& e) {
        normal = {xml::parse_memory(record.metadata, "metadata"), false};
        listener_.note(record.identifier + ": is kept as it came: " + e.what());
    }
    const bool whole = describe(normal.document.get(), out.item);
    out.item.origin = origin_of(record, kDescriptionNamespace, normal.altered || !whole);
}

void DatabaseSink::gather_payload(const harvest::Record& record, HarvestedRecord& out) {
    if (record.deleted) return;
    out.payload = record.metadata;
    out.payload_namespace =
        xml::root_namespace(xml::parse_memory(record.metadata, "metadata").get());
    out.origin = origin_of(record, out.payload_namespace, false);
}

std::string DatabaseSink::origin_of(const harvest::Record& record, std::string_view name_space,
                                    bool altered) const {
    return origin_description({.base_url = base_url_,
                               .identifier = record.identifier,
                               .datestamp = record.datestamp,
                               .metadata_namespace = name_space,
                               .harvest_date = record.response_date,
                               .altered = altered},
                              find_origin(record.abouts));
}

}  // namespace oai::aggregate
