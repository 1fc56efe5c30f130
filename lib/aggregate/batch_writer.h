// SPDX-License-Identifier: MIT
// Writes what a walk has gathered into the model library: a batch and the position behind it in one transaction, by a
// handful of statements that take the batch as a whole. oai_dc becomes items, by the statements that files are loaded with;
// records of other formats are kept beside them as they came. Of walks it knows where they stand and how they ended. Not
// thread-safe, but any thread may call it. Throws pg::Error, and std::runtime_error in words.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "aggregate/batch.h"
#include "aggregate/source.h"
#include "harvest/sink.h"
#include "load/item_staging.h"
#include "pg/connection.h"

namespace oai::aggregate {

struct Tally {
    std::int64_t inserted = 0, updated = 0;
    std::int64_t left_deleted = 0;  // deleted here
    std::int64_t missing = 0;       // deleted because a full harvest did not find them
    std::int64_t refused = 0;       // records that cannot be kept; the listener was told why of the first ones
    // Records that the database does not take, nobody having been told yet.
    struct Refusal { std::string identifier, why; };
    std::vector<Refusal> refusals{};
    Tally& operator+=(const Tally& other);
};

enum class Ending { none, incomplete, complete };  // of the walk, behind this batch

struct Work {
    Batch batch;
    harvest::Position position;  // behind the batch
    std::int64_t walk = 0;
    Ending ending = Ending::none;
    std::string title;           // the repository's, for its set
    std::vector<std::string> met{};  // local_ids of records that came and are not kept: not missing there
};

class BatchWriter {
  public:
    // The connection is the loader's; both must outlive it.
    BatchWriter(pg::Connection& connection, const Source& source);

    // All or nothing, in one transaction; in several, the last of which has the position, where a record has a value that the
    // database does not take: it is left out (refusals), and when a later one fails, what the others wrote stays. A deadlock
    // with other programs is tried again. Returns what became of the batch, which is spent.
    Tally write(Work& work);

  private:
    Tally write_part(Work& work, bool is_last);
    Tally write_whole(Work& work, bool is_last);
    Tally try_write(Work& work, bool is_last);
    void roll_back();
    bool tells_missing(const Work& work) const;
    bool leaves_no_gap(const harvest::List& list);
    void settle_local_ids(Work& work);
    void make_collections(Work& work);
    void write_items(Work& work, Tally& tally);
    void write_payloads(Work& work, Tally& tally);
    void note_records(Work& work);
    void note_met(const Work& work);
    void note_position(const Work& work);
    void close(const Work& work, Tally& tally);

    pg::Connection& connection_;
    const Source& source_;
    load::ItemStaging staging_;
    std::unordered_set<std::string> collections_;  // that are there
};

// $1 to $3 of the queries about one list.
pg::Parameters list_key(const Source& source, const std::string& prefix, const std::string& set_spec);

}  // namespace oai::aggregate
