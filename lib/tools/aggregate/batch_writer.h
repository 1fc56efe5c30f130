// SPDX-License-Identifier: MIT
// Writes what a harvest has gathered into the model library: a batch and the position behind it in
// one transaction, by a handful of statements for the whole batch. Records in oai_dc become items,
// by the statements that files are loaded with; records in other formats are kept beside them as
// they came. A walk is one run through one list; the writer stores its position and how it ended.
// Not thread-safe, but any thread may call it. Throws pg::Error, and std::runtime_error in words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "pg/binary.h"
#include "pg/connection.h"
#include "tools/aggregate/sources.h"
#include "tools/harvest/sink.h"
#include "tools/load/item.h"
#include "tools/load/item_staging.h"

namespace oai::aggregate {

// Harvested records gathered for one transaction, each item once: the later record counts. Knows
// neither the database nor the walk.

struct HarvestedRecord {
    load::Item item;  // of oai_dc; of other formats its collections alone
    // Our own local_id, where item.local_id is the source's; else "".
    std::string other_local_id;
    std::string identifier;  // the source's
    std::string datestamp;   // the source's
    bool deleted = false;
    bool has_item = false;                   // its local_id is an item already
    std::string payload, payload_namespace;  // of other formats; "" of a deleted record
    std::string origin;                      // of the payload
};

inline const std::string& key_of(const HarvestedRecord& record) { return record.item.local_id; }
std::size_t memory_bytes(const HarvestedRecord& record);

using Batch = load::LatestRecords<HarvestedRecord>;

// Takes the first half out of the batch; of one record, this one. REQUIRES: not empty.
Batch take_first_half(Batch& batch);

struct WriteCounts {
    std::int64_t inserted = 0, updated = 0;
    std::int64_t left_deleted = 0;  // deleted in this repository, and left so
    std::int64_t refused = 0;       // records that cannot be kept
    // Records that the database does not accept, still to be counted and reported.
    struct Refusal {
        std::string identifier, why;
    };
    std::vector<Refusal> refusals{};
    WriteCounts& operator+=(const WriteCounts& other);
};

// The record of a list with the latest datestamp; "" for none.
struct NewestRecord {
    std::string identifier, datestamp;
};

// Whether and how the walk ended behind a batch.
enum class WalkEnd { none, incomplete, complete };

struct BatchJob {
    Batch batch;
    harvest::ListPosition position;  // behind the batch
    std::int64_t walk = 0;
    WalkEnd ending = WalkEnd::none;
    std::string title;  // the repository's, for its set
    std::string began;  // the run: records that could not be taken before, and come, are forgotten
    // local_ids of records that came and cannot be kept: they are not missing there.
    std::vector<std::string> refused_ids{};
    NewestRecord newest{};  // of the list so far, this batch included
};

class BatchWriter {
  public:
    // The connection is the loader's; both must outlive it. deletes_all: missing records are
    // deleted even if there is none any more, which else is taken for a fault of the source.
    BatchWriter(pg::Connection& connection, const Source& source, bool deletes_all = false);

    // All or nothing, in one transaction. If the database does not accept a record, the batch is
    // written in several transactions, the last of which has the position, and the record is left
    // out (refusals); if one of these fails, what the earlier ones wrote stays. A deadlock with
    // other programs is tried again. The batch must not be used again.
    WriteCounts write(BatchJob& work);

  private:
    WriteCounts write_part(BatchJob& work, bool is_last);
    WriteCounts write_whole(BatchJob& work, bool is_last);
    WriteCounts try_write(BatchJob& work, bool is_last);
    bool finds_missing(const BatchJob& work) const;
    bool leaves_no_gap(const harvest::ListSelection& list);
    void settle_local_ids(BatchJob& work);
    void make_collections(BatchJob& work);
    void write_items(BatchJob& work, WriteCounts& counts);
    void write_payloads(BatchJob& work, WriteCounts& counts);
    void note_records(BatchJob& work);
    void note_refused(const BatchJob& work);
    void note_position(const BatchJob& work);
    void close(const BatchJob& work);

    pg::Connection& connection_;
    const Source& source_;
    const bool deletes_all_;
    load::ItemStaging staging_;
    std::unordered_set<std::string> collections_;  // known to be there
};

// One field of all records, as an array.
std::string column(const auto& records, const auto& field) {
    std::vector<std::string> values;
    for (const auto& record : records) values.push_back(std::invoke(field, record));
    return pg::array_literal(values);
}

// The collections and their ancestors, each once, ancestors first.
std::vector<std::string> with_ancestors(const std::vector<std::string>& collections);

}  // namespace oai::aggregate
