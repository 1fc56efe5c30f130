// SPDX-License-Identifier: MIT
#include "tools/aggregate/batch_writer.h"

#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "pg/binary.h"
#include "pg/retry.h"
#include "tools/aggregate/queries.h"
#include "tools/harvest/list_walk.h"
#include "tools/load/queries.h"

namespace oai::aggregate {
namespace {

// A record's value is at fault: a data exception, or a violated integrity constraint.
bool is_fault_of_record(const pg::Error& e) {
    return e.sqlstate().starts_with("22") || e.sqlstate().starts_with("23");
}

bool is_description(const BatchJob& work) {
    return work.position.list.prefix == kDescriptionPrefix;
}

}  // namespace

// Commits need not wait for the disk: the position is committed with its records, so if a crash of
// the database server loses both, the records are harvested again.
BatchWriter::BatchWriter(pg::Connection& connection, const Source& source, bool deletes_all)
    : connection_(connection),
      source_(source),
      deletes_all_(deletes_all),
      staging_(connection, {}) {
    connection_.query(queries::kSession);
}

WriteCounts BatchWriter::write(BatchJob& work) { return write_part(work, true); }

// A batch that is refused is halved until the record at fault is found. Only the last part has the
// position.
WriteCounts BatchWriter::write_part(BatchJob& work, bool is_last) {
    std::string why;
    try {
        return write_whole(work, is_last);
    } catch (const pg::Error& e) {
        if (!is_fault_of_record(e) || work.batch.size() == 0) throw;
        why = e.what();
    }
    WriteCounts counts;
    BatchJob first{take_first_half(work.batch),
                   work.position,
                   work.walk,
                   WalkEnd::none,
                   work.title,
                   work.began,
                   {},
                   work.newest};
    if (work.batch.size() > 0) {
        counts += write_part(first, false);
    } else {
        const HarvestedRecord& refused = first.batch.records().front();
        counts.refusals.push_back({refused.identifier, why});
        first.refused_ids = {refused.item.local_id, refused.other_local_id};
    }
    work.refused_ids.insert(work.refused_ids.end(), first.refused_ids.begin(),
                            first.refused_ids.end());
    return counts += write_part(work, is_last);
}

WriteCounts BatchWriter::write_whole(BatchJob& work, bool is_last) {
    return pg::retry(
        pg::kRetryConflicts, [&] { return try_write(work, is_last); },
        [this] {
            connection_.reset_quietly();
            collections_.clear();
            staging_.forget_names();
        });
}

WriteCounts BatchWriter::try_write(BatchJob& work, bool is_last) {
    WriteCounts counts;
    connection_.query(load::queries::kBegin);
    connection_.query(load::queries::kOneLoader);
    if (connection_.query(queries::kLockSource, load::parameters(source_.id)).rows() == 0)
        throw std::runtime_error("it is no longer among the repositories");
    if (work.batch.size() > 0) {
        settle_local_ids(work);
        make_collections(work);
        if (is_description(work))
            write_items(work, counts);
        else
            write_payloads(work, counts);
        note_records(work);
    }
    if (is_last) note_refused(work);
    if (is_last) note_position(work);
    if (is_last && work.ending == WalkEnd::complete) close(work);
    connection_.query(load::queries::kCommit);
    return counts;
}

// Records that a walk through the whole repository does not meet are no longer there.
bool BatchWriter::finds_missing(const BatchJob& work) const {
    const harvest::ListSelection& list = work.position.list;
    const bool all = list.set_spec.empty() && list.from.empty() && list.until.empty();
    return all && source_.delete_missing && is_description(work);
}

// Everything up to the end of the last complete harvest is here, and so is everything up to the end
// of this one, unless it began later than the last one ended.
bool BatchWriter::leaves_no_gap(const harvest::ListSelection& list) {
    if (list.from.empty()) return true;
    const pg::Result last = connection_.query(
        queries::kLastComplete, load::parameters(source_.id, list.prefix, list.set_spec));
    return last.rows() > 0 && list.from <= harvest::from_after(std::string(last.bytes(0, 0)),
                                                               std::chrono::seconds{0}, true);
}

// Two sources may have the same identifier: the first keeps it, and a record of the other is filed
// under ours. An item that was deleted here stays deleted until it is deleted there, too.
void BatchWriter::settle_local_ids(BatchJob& work) {
    std::vector<std::string> candidates;
    for (const HarvestedRecord& record : work.batch.records()) {
        candidates.push_back(record.item.local_id);
        if (!record.other_local_id.empty()) candidates.push_back(record.other_local_id);
    }
    struct IdentifierUse {
        bool by_this_source, by_others, deleted_here, by_own_table;
    };
    std::unordered_map<std::string, IdentifierUse> uses;
    const pg::Result rows = connection_.query(
        queries::kIdentifierUses,
        load::parameters(source_.id, work.position.list.prefix, pg::array_literal(candidates)));
    for (int i = 0; i < rows.rows(); ++i)
        uses.emplace(
            rows.bytes(i, 0),
            IdentifierUse{pg::read_bool(rows.bytes(i, 1)), pg::read_bool(rows.bytes(i, 2)),
                          pg::read_bool(rows.bytes(i, 3)), pg::read_bool(rows.bytes(i, 4))});
    const auto find = [&](const std::string& local_id) {
        const auto found = uses.find(local_id);
        return found == uses.end() ? IdentifierUse{} : found->second;
    };
    for (HarvestedRecord& record : work.batch.records()) {
        const bool taken =
            find(record.item.local_id).by_others || find(record.other_local_id).by_this_source;
        if (!record.other_local_id.empty() && taken)
            record.item.local_id = std::exchange(record.other_local_id, "");
        if (find(record.item.local_id).by_own_table)
            throw pg::Error(record.item.local_id +
                                " is a row of a table that oai map follows, and is changed there",
                            queries::kIdentifierUses.name, pg::kUniqueViolation, false);
        if (!record.deleted && find(record.item.local_id).deleted_here) record.item.deleted.reset();
        // A deleted record without sets stays in those it is in, so that harvesters of them learn
        // of the deletion.
        record.has_item = uses.contains(record.item.local_id);
        if (!record.item.all_collections && record.has_item) record.item.collections.clear();
    }
}

// Collections get the names of their sets when they are made, since titles cannot be changed later.
void BatchWriter::make_collections(BatchJob& work) {
    std::vector<std::string> missing;
    for (const HarvestedRecord& record : work.batch.records())
        for (const std::string& name : with_ancestors(record.item.collections))
            if (collections_.insert(name).second) missing.push_back(name);
    if (missing.empty()) return;
    connection_.query(queries::kTitles, load::parameters(source_.id, source_.label, work.title,
                                                         pg::array_literal(missing)));
}

void BatchWriter::write_items(BatchJob& work, WriteCounts& counts) {
    std::vector<load::Item> items;
    for (const HarvestedRecord& record : work.batch.records())
        if (!record.deleted || !record.has_item) items.push_back(record.item);  // else it departs
    if (items.empty()) return;
    const load::SliceCounts moved = staging_.write_within(items);
    counts.inserted += moved.inserted;
    counts.updated += moved.updated;
    counts.left_deleted += moved.left_deleted;
}

// A record that is there in this format alone becomes an item without a description.
void BatchWriter::write_payloads(BatchJob& work, WriteCounts& counts) {
    const std::string local_ids =
        column(work.batch.records(), [](const HarvestedRecord& r) { return r.item.local_id; });
    const pg::Result strangers =
        connection_.query(queries::kUnknownItems, load::parameters(local_ids));
    std::unordered_set<std::string_view> unknown;
    for (int i = 0; i < strangers.rows(); ++i) unknown.insert(strangers.bytes(i, 0));
    std::vector<load::Item> items;
    for (const HarvestedRecord& record : work.batch.records())
        if (!record.deleted && unknown.contains(record.item.local_id)) items.push_back(record.item);
    if (!items.empty()) counts.inserted += staging_.write_within(items).inserted;
    const pg::Result kept = connection_.query(
        queries::kKeep,
        load::parameters(work.position.list.prefix, local_ids,
                         column(work.batch.records(), &HarvestedRecord::payload),
                         column(work.batch.records(), &HarvestedRecord::payload_namespace),
                         column(work.batch.records(), &HarvestedRecord::origin)));
    if (!kept.is_null(0, 0)) counts.updated += pg::read_integer(kept.bytes(0, 0));
}

void BatchWriter::note_records(BatchJob& work) {
    const std::string identifiers = column(work.batch.records(), &HarvestedRecord::identifier);
    connection_.query(queries::kForget, load::parameters(source_.id, work.position.list.prefix,
                                                         identifiers, work.began));
    connection_.query(
        queries::kRecords,
        load::parameters(
            source_.id, work.position.list.prefix, work.walk, finds_missing(work) ? "t" : "f",
            column(work.batch.records(), [](const HarvestedRecord& r) { return r.item.local_id; }),
            identifiers, column(work.batch.records(), &HarvestedRecord::datestamp),
            column(work.batch.records(),
                   [](const HarvestedRecord& r) { return r.deleted ? "t" : "f"; })));
}

void BatchWriter::note_refused(const BatchJob& work) {
    if (work.refused_ids.empty() || !finds_missing(work)) return;
    connection_.query(queries::kMarkMet,
                      load::parameters(source_.id, work.position.list.prefix, work.walk,
                                       pg::array_literal(work.refused_ids)));
}

void BatchWriter::note_position(const BatchJob& work) {
    const harvest::ListPosition& at = work.position;
    connection_.query(
        queries::kPosition,
        load::parameters(source_.id, at.list.prefix, at.list.set_spec, work.walk,
                         work.ending == WalkEnd::none ? "t" : "f", at.list.from, at.list.until,
                         at.token, at.response_date, at.records, at.pages, at.list_size,
                         at.pages_missing, harvest::counts_text(at.counts), work.newest.identifier,
                         work.newest.datestamp));
}

void BatchWriter::close(const BatchJob& work) {
    const harvest::ListSelection& list = work.position.list;
    if (list.until.empty() && leaves_no_gap(list))
        connection_.query(queries::kSetComplete,
                          load::parameters(source_.id, list.prefix, list.set_spec)
                              .add(work.position.response_date));
    if (!finds_missing(work) || (work.position.records == 0 && !deletes_all_)) return;
    connection_.query(queries::kMissing, load::parameters(source_.id, list.prefix, work.walk));
}

WriteCounts& WriteCounts::operator+=(const WriteCounts& other) {
    inserted += other.inserted;
    updated += other.updated;
    left_deleted += other.left_deleted;
    refused += other.refused;
    refusals.insert(refusals.end(), other.refusals.begin(), other.refusals.end());
    return *this;
}

std::size_t memory_bytes(const HarvestedRecord& record) {
    return sizeof(HarvestedRecord) + record.payload.size() + record.origin.size() +
           load::memory_bytes(record.item);
}

Batch take_first_half(Batch& batch) {
    Batch first, second;
    const std::size_t half = (batch.size() + 1) / 2;
    for (std::size_t i = 0; i < batch.size(); ++i)
        (i < half ? first : second).add(std::move(batch.records()[i]));
    batch = std::move(second);
    return first;
}

std::vector<std::string> with_ancestors(const std::vector<std::string>& collections) {
    std::set<std::string> all;
    for (const std::string& name : collections)
        for (auto at = name.find(':');; at = name.find(':', at + 1)) {
            all.insert(name.substr(0, at));
            if (at == name.npos) break;
        }
    return {all.begin(), all.end()};
}

}  // namespace oai::aggregate
