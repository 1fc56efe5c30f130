// SPDX-License-Identifier: MIT
#include "aggregate/database_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
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
constexpr int kTries = 4;
constexpr std::int64_t kRefusalsTold = 20;
constexpr const char* kDescribingNamespace = "http://www.openarchives.org/OAI/2.0/oai_dc/";

pg::Parameters list_key(const Source& source, const std::string& prefix, const std::string& set_spec) {
    pg::Parameters key;
    key.add(source.id).add(prefix).add(set_spec);
    return key;
}

// One field of all records, as an array.
template <class Field>
std::string column(const std::vector<Gathered>& records, Field field) {
    std::vector<std::string> values;
    values.reserve(records.size());
    for (const Gathered& record : records) values.push_back(field(record));
    return load::array_literal(values);
}

bool passes(const pg::Error& e) { return e.sqlstate() == "40P01" || e.sqlstate() == "40001"; }

}  // namespace

DatabaseSink::DatabaseSink(pg::Connection& connection, const Source& source, const Normaliser& normaliser,
                           harvest::Listener& listener, DatabaseSinkOptions options)
    : connection_(connection), source_(source), normaliser_(normaliser), listener_(listener),
      options_(std::move(options)), staging_(connection, {}), base_url_(source.base_url), title_(source.name) {}

void DatabaseSink::identity(const harvest::Identity& identity) {
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
    flush();
    walk_ = pg::read_integer(row.bytes(0, 8));
    position_ = position;
    return position;
}

std::optional<std::string> DatabaseSink::last_complete(const std::string& prefix, const std::string& set_spec) {
    const pg::Result row = connection_.query(queries::kComplete, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    return std::string(row.bytes(0, 0));
}

void DatabaseSink::begin(const Position& start) {
    flush();
    walk_ = pg::read_integer(connection_.query(queries::kNewWalk).bytes(0, 0));
    position_ = start;
    write(Walk::goes_on);
}

void DatabaseSink::take(std::span<const harvest::Record> records, const Position& after) {
    position_ = after;
    moved_ = true;
    for (const harvest::Record& record : records) gather(record);
    const bool full = batch_.size() >= static_cast<std::size_t>(options_.batch_records) || batch_.bytes() >= kBatchBytes;
    if (full) write(Walk::goes_on);
}

void DatabaseSink::finish(const Position& end) {
    position_ = end;
    write(Walk::ends_complete);
}

void DatabaseSink::abandon(const Position& end) {
    position_ = end;
    write(Walk::ends);
}

void DatabaseSink::flush() {
    if (moved_) write(Walk::goes_on);
}

void DatabaseSink::refuse(const harvest::Record& record, const std::string& why) {
    if (++tally_.refused <= kRefusalsTold) listener_.note(record.identifier + ": " + why);
}

// Where records keep their identifiers, one that another source holds already is filed under ours.
void DatabaseSink::choose_local_id(const harvest::Record& record, Gathered& out) {
    const std::string ours = our_local_id(source_, record.identifier);
    out.item.local_id = source_.their_identifiers ? their_local_id(record.identifier) : ours;
    if (source_.their_identifiers) out.other_local_id = ours;
}

void DatabaseSink::gather(const harvest::Record& record) {
    if (record.identifier.starts_with(options_.own_prefix)) return refuse(record, "comes from this repository");
    Gathered out;
    choose_local_id(record, out);
    if (out.item.local_id.empty()) return refuse(record, "an identifier that is too long");
    out.identifier = record.identifier;
    out.datestamp = record.datestamp;
    out.deleted = record.deleted;
    out.item.collections = collections_of(source_, record.set_specs);
    out.item.all_collections = !record.deleted || !record.set_specs.empty();
    out.item.all_payloads = false;
    out.item.deleted = record.deleted;
    try {
        if (!record.deleted && record.metadata.empty()) throw xml::Error("no metadata, and it is not deleted");
        if (position_.list.prefix == kDescribing) gather_description(record, out);
        else gather_payload(record, out);
        batch_.add(std::move(out));
    } catch (const xml::Error& e) {
        refuse(record, e.what());
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
                               .harvest_date = position_.response_date,
                               .altered = altered},
                              origin_among(record.abouts));
}

// All or nothing. A deadlock with other programs is tried again.
void DatabaseSink::write(Walk walk) {
    for (int tries = 1;; ++tries) {
        try {
            Tally tally = tally_;
            try_write(walk, tally);
            tally_ = tally;
            batch_.clear();
            moved_ = false;
            return;
        } catch (const pg::Error& e) {
            connection_.reset_quietly();
            collections_.clear();
            if (!passes(e) || tries == kTries) throw;
        }
    }
}

void DatabaseSink::try_write(Walk walk, Tally& tally) {
    connection_.query(load::queries::kBegin);
    connection_.query(load::queries::kOneLoader);
    if (batch_.size() > 0) {
        settle_local_ids();
        make_collections();
        if (position_.list.prefix == kDescribing) write_items(tally);
        else write_payloads(tally);
        note_records();
    }
    note_position(walk, tally);
    connection_.query(load::queries::kCommit);
}

// Of two items of one identifier the first has it. And what was deleted here stays so until it is deleted there, too.
void DatabaseSink::settle_local_ids() {
    std::vector<std::string> candidates;
    for (const Gathered& record : batch_.records()) {
        candidates.push_back(record.item.local_id);
        if (!record.other_local_id.empty()) candidates.push_back(record.other_local_id);
    }
    struct Known {
        bool ours, others, deleted_here;
    };
    std::unordered_map<std::string, Known> known;
    const pg::Result rows = connection_.query(queries::kKnown, pg::Parameters()
                                                                   .add(source_.id)
                                                                   .add(position_.list.prefix)
                                                                   .add(load::array_literal(candidates)));
    for (int i = 0; i < rows.rows(); ++i)
        known.emplace(rows.bytes(i, 0), Known{pg::read_bool(rows.bytes(i, 1)), pg::read_bool(rows.bytes(i, 2)),
                                              pg::read_bool(rows.bytes(i, 3))});
    const auto find = [&](const std::string& local_id) {
        const auto found = known.find(local_id);
        return found == known.end() ? Known{} : found->second;
    };
    for (Gathered& record : batch_.records()) {
        const bool taken = find(record.item.local_id).others || find(record.other_local_id).ours;
        if (!record.other_local_id.empty() && taken) record.item.local_id = std::exchange(record.other_local_id, "");
        if (!record.deleted && find(record.item.local_id).deleted_here) record.item.deleted.reset();
        // A deleted record that names no sets stays in those that harvesters of them know it from.
        if (!record.item.all_collections && known.contains(record.item.local_id)) record.item.collections.clear();
    }
}

// With their sets' names, which cannot be changed later.
void DatabaseSink::make_collections() {
    std::vector<std::string> wanted;
    for (const Gathered& record : batch_.records())
        for (const std::string& name : with_ancestors(record.item.collections))
            if (collections_.insert(name).second) wanted.push_back(name);
    if (wanted.empty()) return;
    connection_.query(queries::kTitles, pg::Parameters().add(source_.id).add(source_.name).add(title_).add(
                                            load::array_literal(wanted)));
}

void DatabaseSink::write_items(Tally& tally) {
    std::vector<load::Item> items;
    for (const Gathered& record : batch_.records()) items.push_back(record.item);
    const load::ItemsMoved moved = staging_.move_within(items);
    tally.inserted += moved.inserted;
    tally.updated += moved.updated;
    tally.left_deleted += moved.left_deleted;
}

// What a repository has in this format alone becomes an item without a description.
void DatabaseSink::write_payloads(Tally& tally) {
    const std::string local_ids = column(batch_.records(), [](const Gathered& r) { return r.item.local_id; });
    const pg::Result strangers = connection_.query(queries::kStrangers, pg::Parameters().add(local_ids));
    std::unordered_set<std::string_view> unknown;
    for (int i = 0; i < strangers.rows(); ++i) unknown.insert(strangers.bytes(i, 0));
    std::vector<load::Item> items;
    for (const Gathered& record : batch_.records())
        if (!record.deleted && unknown.contains(record.item.local_id)) items.push_back(record.item);
    if (!items.empty()) tally.inserted += staging_.move_within(items).inserted;
    const pg::Result kept = connection_.query(
        queries::kKeep, pg::Parameters()
                            .add(position_.list.prefix)
                            .add(local_ids)
                            .add(column(batch_.records(), [](const Gathered& r) { return r.payload; }))
                            .add(column(batch_.records(), [](const Gathered& r) { return r.payload_namespace; }))
                            .add(column(batch_.records(), [](const Gathered& r) { return r.origin; })));
    if (!kept.is_null(0, 0)) tally.updated += pg::read_integer(kept.bytes(0, 0));
}

void DatabaseSink::note_records() {
    connection_.query(queries::kRecords,
                      pg::Parameters()
                          .add(source_.id)
                          .add(position_.list.prefix)
                          .add(walk_)
                          .add(column(batch_.records(), [](const Gathered& r) { return r.item.local_id; }))
                          .add(column(batch_.records(), [](const Gathered& r) { return r.identifier; }))
                          .add(column(batch_.records(), [](const Gathered& r) { return r.datestamp; }))
                          .add(column(batch_.records(), [](const Gathered& r) { return r.deleted ? "t" : "f"; })));
}

void DatabaseSink::note_position(Walk walk, Tally& tally) {
    const harvest::List& list = position_.list;
    connection_.query(queries::kPosition, list_key(source_, list.prefix, list.set_spec)
                                              .add(walk_)
                                              .add(walk == Walk::goes_on ? "t" : "f")
                                              .add(list.from)
                                              .add(list.until)
                                              .add(position_.token)
                                              .add(position_.response_date)
                                              .add(position_.records)
                                              .add(position_.pages)
                                              .add(position_.list_size)
                                              .add(position_.pages_missing));
    if (walk != Walk::ends_complete) return;
    if (list.until.empty())
        connection_.query(queries::kCompleted,
                          list_key(source_, list.prefix, list.set_spec).add(position_.response_date));
    const bool all = list.set_spec.empty() && list.from.empty() && list.until.empty();
    if (!all || !source_.delete_missing || list.prefix != kDescribing) return;
    const pg::Result gone = connection_.query(
        queries::kMissing, pg::Parameters().add(source_.id).add(list.prefix).add(walk_));
    tally.missing += std::atoll(gone.affected());
}

}  // namespace oai::aggregate
