// SPDX-License-Identifier: MIT
#include "aggregate/batch_writer.h"

#include <cstdlib>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "aggregate/description.h"
#include "aggregate/queries.h"
#include "harvest/window.h"
#include "load/queries.h"
#include "load/staging.h"
#include "pg/binary.h"

namespace oai::aggregate {
namespace {

constexpr int kTries = 4;

// One field of all records, as an array.
template <class Field>
std::string column(const std::vector<Gathered>& records, Field field) {
    std::vector<std::string> values;
    values.reserve(records.size());
    for (const Gathered& record : records) values.push_back(field(record));
    return load::array_literal(values);
}

bool passes(const pg::Error& e) { return e.sqlstate() == "40P01" || e.sqlstate() == "40001"; }

// A value that the database does not take: data exceptions, integrity constraint violations.
bool is_of_a_record(const pg::Error& e) { return e.sqlstate().starts_with("22") || e.sqlstate().starts_with("23"); }

bool is_description(const Work& work) { return work.position.list.prefix == kDescribing; }

}  // namespace

// The walk's position is committed with its records: what a crash of the server takes back, both of them, is asked for
// again. So no commit needs to wait for the disk.
BatchWriter::BatchWriter(pg::Connection& connection, const Source& source)
    : connection_(connection), source_(source), staging_(connection, {}) {
    connection_.query(queries::kSession);
}

Tally BatchWriter::write(Work& work) { return write_part(work, true); }

// What is refused as a whole is halved until the record is found that is at fault. Only the last part has the position.
Tally BatchWriter::write_part(Work& work, bool is_last) {
    std::string why;
    try {
        return write_whole(work, is_last);
    } catch (const pg::Error& e) {
        if (!is_of_a_record(e) || work.batch.size() == 0) throw;
        why = e.what();
    }
    Tally tally;
    Work first{work.batch.split(), work.position, work.walk, Ending::none, work.title};
    if (work.batch.size() > 0) {
        tally += write_part(first, false);
    } else {
        const Gathered& refused = first.batch.records().front();
        tally.refusals.push_back({refused.identifier, why});
        first.met = {refused.item.local_id, refused.other_local_id};
    }
    work.met.insert(work.met.end(), first.met.begin(), first.met.end());
    return tally += write_part(work, is_last);
}

Tally BatchWriter::write_whole(Work& work, bool is_last) {
    for (int tries = 1;; ++tries) {
        try {
            return try_write(work, is_last);
        } catch (const pg::Error& e) {
            roll_back();
            if (!passes(e) || tries == kTries) throw;
        } catch (...) {
            roll_back();
            throw;
        }
    }
}

void BatchWriter::roll_back() {
    connection_.reset_quietly();
    collections_.clear();
    staging_.rolled_back();
}

Tally BatchWriter::try_write(Work& work, bool is_last) {
    Tally tally;
    connection_.query(load::queries::kBegin);
    connection_.query(load::queries::kOneLoader);
    if (connection_.query(queries::kHold, pg::Parameters().add(source_.id)).rows() == 0)
        throw std::runtime_error("it is no longer among the repositories");
    if (work.batch.size() > 0) {
        settle_local_ids(work);
        make_collections(work);
        if (is_description(work)) write_items(work, tally);
        else write_payloads(work, tally);
        note_records(work);
    }
    if (is_last) note_met(work);
    if (is_last) note_position(work);
    if (is_last && work.ending == Ending::complete) close(work, tally);
    connection_.query(load::queries::kCommit);
    return tally;
}

// What a walk of everything does not meet is no longer there.
bool BatchWriter::tells_missing(const Work& work) const {
    const harvest::List& list = work.position.list;
    const bool all = list.set_spec.empty() && list.from.empty() && list.until.empty();
    return all && source_.delete_missing && is_description(work);
}

// Everything up to the end of the last complete harvest is here. So it is up to the end of this one, unless it began later.
bool BatchWriter::leaves_no_gap(const harvest::List& list) {
    if (list.from.empty()) return true;
    const pg::Result last = connection_.query(queries::kComplete, list_key(source_, list.prefix, list.set_spec));
    return last.rows() > 0 && list.from <= harvest::from_after(std::string(last.bytes(0, 0)), std::chrono::seconds{0}, true);
}

// Of two items of one identifier the first has it. And what was deleted here stays so until it is deleted there, too.
void BatchWriter::settle_local_ids(Work& work) {
    std::vector<std::string> candidates;
    for (const Gathered& record : work.batch.records()) {
        candidates.push_back(record.item.local_id);
        if (!record.other_local_id.empty()) candidates.push_back(record.other_local_id);
    }
    struct Known {
        bool ours, others, deleted_here;
    };
    std::unordered_map<std::string, Known> known;
    const pg::Result rows = connection_.query(queries::kKnown, pg::Parameters()
                                                                   .add(source_.id)
                                                                   .add(work.position.list.prefix)
                                                                   .add(load::array_literal(candidates)));
    for (int i = 0; i < rows.rows(); ++i)
        known.emplace(rows.bytes(i, 0), Known{pg::read_bool(rows.bytes(i, 1)), pg::read_bool(rows.bytes(i, 2)),
                                              pg::read_bool(rows.bytes(i, 3))});
    const auto find = [&](const std::string& local_id) {
        const auto found = known.find(local_id);
        return found == known.end() ? Known{} : found->second;
    };
    for (Gathered& record : work.batch.records()) {
        const bool taken = find(record.item.local_id).others || find(record.other_local_id).ours;
        if (!record.other_local_id.empty() && taken) record.item.local_id = std::exchange(record.other_local_id, "");
        if (!record.deleted && find(record.item.local_id).deleted_here) record.item.deleted.reset();
        // A deleted record that names no sets stays in those that harvesters of them know it from.
        if (!record.item.all_collections && known.contains(record.item.local_id)) record.item.collections.clear();
    }
}

// With their sets' names, which cannot be changed later.
void BatchWriter::make_collections(Work& work) {
    std::vector<std::string> wanted;
    for (const Gathered& record : work.batch.records())
        for (const std::string& name : with_ancestors(record.item.collections))
            if (collections_.insert(name).second) wanted.push_back(name);
    if (wanted.empty()) return;
    connection_.query(queries::kTitles, pg::Parameters().add(source_.id).add(source_.name).add(work.title).add(
                                            load::array_literal(wanted)));
}

void BatchWriter::write_items(Work& work, Tally& tally) {
    std::vector<load::Item> items;
    for (const Gathered& record : work.batch.records()) items.push_back(record.item);
    const load::ItemsMoved moved = staging_.move_within(items);
    tally.inserted += moved.inserted;
    tally.updated += moved.updated;
    tally.left_deleted += moved.left_deleted;
}

// What a repository has in this format alone becomes an item without a description.
void BatchWriter::write_payloads(Work& work, Tally& tally) {
    const std::string local_ids = column(work.batch.records(), [](const Gathered& r) { return r.item.local_id; });
    const pg::Result strangers = connection_.query(queries::kStrangers, pg::Parameters().add(local_ids));
    std::unordered_set<std::string_view> unknown;
    for (int i = 0; i < strangers.rows(); ++i) unknown.insert(strangers.bytes(i, 0));
    std::vector<load::Item> items;
    for (const Gathered& record : work.batch.records())
        if (!record.deleted && unknown.contains(record.item.local_id)) items.push_back(record.item);
    if (!items.empty()) tally.inserted += staging_.move_within(items).inserted;
    const pg::Result kept = connection_.query(
        queries::kKeep, pg::Parameters()
                            .add(work.position.list.prefix)
                            .add(local_ids)
                            .add(column(work.batch.records(), [](const Gathered& r) { return r.payload; }))
                            .add(column(work.batch.records(), [](const Gathered& r) { return r.payload_namespace; }))
                            .add(column(work.batch.records(), [](const Gathered& r) { return r.origin; })));
    if (!kept.is_null(0, 0)) tally.updated += pg::read_integer(kept.bytes(0, 0));
}

void BatchWriter::note_records(Work& work) {
    connection_.query(queries::kRecords,
                      pg::Parameters()
                          .add(source_.id)
                          .add(work.position.list.prefix)
                          .add(work.walk)
                          .add(tells_missing(work) ? "t" : "f")
                          .add(column(work.batch.records(), [](const Gathered& r) { return r.item.local_id; }))
                          .add(column(work.batch.records(), [](const Gathered& r) { return r.identifier; }))
                          .add(column(work.batch.records(), [](const Gathered& r) { return r.datestamp; }))
                          .add(column(work.batch.records(), [](const Gathered& r) { return r.deleted ? "t" : "f"; })));
}

void BatchWriter::note_met(const Work& work) {
    if (work.met.empty() || !tells_missing(work)) return;
    connection_.query(queries::kMet, pg::Parameters()
                                         .add(source_.id)
                                         .add(work.position.list.prefix)
                                         .add(work.walk)
                                         .add(load::array_literal(work.met)));
}

void BatchWriter::note_position(const Work& work) {
    const harvest::Position& at = work.position;
    connection_.query(queries::kPosition, list_key(source_, at.list.prefix, at.list.set_spec)
                                              .add(work.walk)
                                              .add(work.ending == Ending::none ? "t" : "f")
                                              .add(at.list.from)
                                              .add(at.list.until)
                                              .add(at.token)
                                              .add(at.response_date)
                                              .add(at.records)
                                              .add(at.pages)
                                              .add(at.list_size)
                                              .add(at.pages_missing));
}

void BatchWriter::close(const Work& work, Tally& tally) {
    const harvest::List& list = work.position.list;
    if (list.until.empty() && leaves_no_gap(list))
        connection_.query(queries::kCompleted,
                          list_key(source_, list.prefix, list.set_spec).add(work.position.response_date));
    if (!tells_missing(work)) return;
    const pg::Result gone = connection_.query(
        queries::kMissing, pg::Parameters().add(source_.id).add(list.prefix).add(work.walk));
    tally.missing += std::atoll(gone.affected());
}

Tally& Tally::operator+=(const Tally& other) {
    inserted += other.inserted;
    updated += other.updated;
    left_deleted += other.left_deleted;
    missing += other.missing;
    refused += other.refused;
    refusals.insert(refusals.end(), other.refusals.begin(), other.refusals.end());
    return *this;
}

pg::Parameters list_key(const Source& source, const std::string& prefix, const std::string& set_spec) {
    pg::Parameters key;
    key.add(source.id).add(prefix).add(set_spec);
    return key;
}

}  // namespace oai::aggregate
