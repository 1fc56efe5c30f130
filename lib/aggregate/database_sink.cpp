// SPDX-License-Identifier: MIT
#include "aggregate/database_sink.h"

#include <fmt/format.h>

#include <utility>

#include "aggregate/description.h"
#include "aggregate/provenance.h"
#include "aggregate/queries.h"
#include "load/queries.h"
#include "load/staging.h"
#include "pg/binary.h"
#include "xml/document.h"

namespace oai::aggregate {
namespace {

using harvest::Position;

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;
constexpr std::int64_t kRefusalsTold = 20;
constexpr const char* kDescribingNamespace = "http://www.openarchives.org/OAI/2.0/oai_dc/";

}  // namespace

DatabaseSink::DatabaseSink(pg::Connection& connection, const Source& source, const Normaliser& normaliser,
                           harvest::Listener& listener, DatabaseSinkOptions options)
    : connection_(connection), source_(source), normaliser_(normaliser), listener_(listener),
      options_(std::move(options)), writer_(connection, source), base_url_(source.base_url), title_(source.name) {}

void DatabaseSink::identity(const harvest::Identity& identity) {
    settle();
    base_url_ = identity.base_url.empty() ? identity.address : identity.base_url;
    if (!identity.name.empty()) title_ = identity.name;
    connection_.query(queries::kIdentity, pg::Parameters()
                                              .add(source_.id)
                                              .add(identity.name)
                                              .add(identity.base_url)
                                              .add(identity.granularity)
                                              .add(identity.deleted_record)
                                              .add(identity.earliest_datestamp)
                                              .add(load::array_literal(identity.admin_emails))
                                              .add(load::array_literal(identity.friends)));
}

void DatabaseSink::sets(std::span<const harvest::SetInfo> sets) {
    settle();
    std::vector<std::string> specs, names;
    for (const harvest::SetInfo& set : sets) {
        specs.push_back(load::set_path(set.spec));
        names.push_back(set.name.empty() ? set.spec : set.name);
    }
    const std::string all = load::array_literal(specs);
    connection_.query(queries::kSets, pg::Parameters().add(source_.id).add(all).add(load::array_literal(names)));
    connection_.query(queries::kForgetSets, pg::Parameters().add(source_.id).add(all));
}

std::optional<Position> DatabaseSink::unfinished(const std::string& prefix, const std::string& set_spec) {
    flush();
    const pg::Result row = connection_.query(queries::kUnfinished, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    Position position;
    position.list = {prefix, set_spec, std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1))};
    position.token = row.bytes(0, 2);
    position.response_date = row.bytes(0, 3);
    position.records = pg::read_integer(row.bytes(0, 4));
    position.pages = pg::read_integer(row.bytes(0, 5));
    if (!row.is_null(0, 6)) position.list_size = pg::read_integer(row.bytes(0, 6));
    position.pages_missing = pg::read_integer(row.bytes(0, 7));
    walk_ = pg::read_integer(row.bytes(0, 8));
    position_ = position;
    return position;
}

std::optional<std::string> DatabaseSink::last_complete(const std::string& prefix, const std::string& set_spec) {
    settle();
    const pg::Result row = connection_.query(queries::kComplete, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    return std::string(row.bytes(0, 0));
}

void DatabaseSink::begin(const Position& start) {
    flush();
    walk_ = pg::read_integer(connection_.query(queries::kNewWalk).bytes(0, 0));
    position_ = start;
    write(Ending::none);
    settle();
}

void DatabaseSink::take(std::span<const harvest::Record> records, const Position& after) {
    for (const harvest::Record& record : records) gather(record, after.list.prefix);
    position_ = after;  // not before all of the page is there
    moved_ = true;
    const bool full = batch_.size() >= static_cast<std::size_t>(options_.batch_records) || batch_.bytes() >= kBatchBytes;
    if (full) write(Ending::none);
}

void DatabaseSink::finish(const Position& end) {
    position_ = end;
    write(Ending::complete);
    settle();
}

void DatabaseSink::abandon(const Position& end) {
    position_ = end;
    write(Ending::incomplete);
    settle();
}

void DatabaseSink::flush() {
    if (moved_) write(Ending::none);
    settle();
}

// One batch is written while the next is gathered.
void DatabaseSink::write(Ending ending) {
    settle();
    writing_ = std::async(std::launch::async,
                          [this, work = Work{std::exchange(batch_, {}), position_, walk_, ending, title_,
                                                   std::exchange(met_, {})}]() mutable {
                              return writer_.write(work);
                          });
    moved_ = false;
}

// The connection is this thread's again. What was gathered behind a batch that could not be written is not written either: no
// position gets behind what is not there.
void DatabaseSink::settle() {
    if (!writing_.valid()) return;
    Tally tally;
    try {
        tally = writing_.get();
    } catch (...) {
        batch_.clear();
        met_.clear();
        moved_ = false;
        throw;
    }
    for (const Tally::Refusal& refusal : std::exchange(tally.refusals, {})) refuse(refusal.identifier, refusal.why);
    tally_ += tally;
}

void DatabaseSink::refuse(const std::string& identifier, const std::string& why) {
    if (++tally_.refused <= kRefusalsTold) listener_.note(identifier + ": " + why);
}

// It is there, though not here.
void DatabaseSink::pass_over(const harvest::Record& record, const Gathered& gathered, const std::string& why) {
    refuse(record.identifier, why);
    if (source_.delete_missing) met_.insert(met_.end(), {gathered.item.local_id, gathered.other_local_id});
}

// Where records keep their identifiers, one that another source holds already is filed under ours. None: there is no room
// for either.
void DatabaseSink::choose_local_id(const harvest::Record& record, Gathered& out) {
    const std::string ours = our_local_id(source_, record.identifier);
    out.item.local_id = source_.their_identifiers ? their_local_id(record.identifier) : ours;
    if (source_.their_identifiers) out.other_local_id = ours;
    if (ours.empty()) out.item.local_id = "";
}

void DatabaseSink::gather(const harvest::Record& record, const std::string& prefix) {
    if (record.identifier.starts_with(options_.own_prefix)) return refuse(record.identifier, "comes from this repository");
    Gathered out;
    choose_local_id(record, out);
    if (out.item.local_id.empty()) return refuse(record.identifier, "an identifier that is too long");
    out.identifier = record.identifier;
    out.datestamp = record.datestamp;
    out.deleted = record.deleted;
    out.item.collections = collections_of(source_, record.set_specs);
    out.item.all_collections = !record.deleted || !record.set_specs.empty();
    out.item.all_payloads = false;
    out.item.deleted = record.deleted;
    try {
        if (!record.deleted && record.metadata.empty()) throw xml::Error("no metadata, and it is not deleted");
        if (prefix == kDescribing) gather_description(record, out);
        else gather_payload(record, out);
        batch_.add(std::move(out));
    } catch (const xml::Error& e) {
        pass_over(record, out, e.what());
    }
}

void DatabaseSink::gather_description(const harvest::Record& record, Gathered& out) {
    if (record.deleted) return;
    Normaliser::Normalised normal;
    try {
        normal = normaliser_.normalise(xml::parse_memory(record.metadata, "metadata"));
    } catch (const xml::Error& e) {
        normal = {xml::parse_memory(record.metadata, "metadata"), false};
        listener_.note(record.identifier + ": is kept as it came: " + e.what());
    }
    const bool whole = describe(normal.document.get(), out.item);
    out.item.origin = origin_of(record, kDescribingNamespace, normal.altered || !whole);
}

void DatabaseSink::gather_payload(const harvest::Record& record, Gathered& out) {
    if (record.deleted) return;
    out.payload = record.metadata;
    out.payload_namespace = xml::root_namespace(xml::parse_memory(record.metadata, "metadata").get());
    out.origin = origin_of(record, out.payload_namespace, false);
}

std::string DatabaseSink::origin_of(const harvest::Record& record, std::string_view name_space, bool altered) const {
    return origin_description({.base_url = base_url_,
                               .identifier = record.identifier,
                               .datestamp = record.datestamp,
                               .metadata_namespace = name_space,
                               .harvest_date = record.response_date,
                               .altered = altered},
                              origin_among(record.abouts));
}

}  // namespace oai::aggregate
