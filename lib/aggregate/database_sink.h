// SPDX-License-Identifier: MIT
// What a walk of one source brings, into the model library: oai_dc becomes items, by the statements that files are loaded
// with; records of other formats are kept beside them as they came. Pages are gathered, and written in one transaction
// with the position behind the last of them: after kill -9 the walk goes on there. Knows no HTTP. Throws pg::Error, and
// std::runtime_error in words.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "aggregate/batch.h"
#include "aggregate/normaliser.h"
#include "aggregate/source.h"
#include "harvest/listener.h"
#include "harvest/sink.h"
#include "load/item_staging.h"
#include "pg/connection.h"

namespace oai::aggregate {

struct Tally {
    std::int64_t inserted = 0, updated = 0;
    std::int64_t left_deleted = 0;  // deleted here
    std::int64_t missing = 0;       // deleted because a full harvest did not find them
    std::int64_t refused = 0;       // records that cannot be kept; the listener was told why of the first ones
};

struct DatabaseSinkOptions {
    std::string own_prefix;       // "oai:<namespace>:", of this repository: what comes back from there is ours already
    int batch_records = 5000;     // and 32 MiB
};

class DatabaseSink final : public harvest::Sink {
  public:
    // The connection is the loader's and this sink's alone; all must outlive it.
    DatabaseSink(pg::Connection& connection, const Source& source, const Normaliser& normaliser, harvest::Listener& listener,
                 DatabaseSinkOptions options);

    void identity(const harvest::Identity& identity) override;
    void sets(std::span<const harvest::SetInfo> sets) override;
    std::optional<harvest::Position> unfinished(const std::string& prefix, const std::string& set_spec) override;
    std::optional<std::string> last_complete(const std::string& prefix, const std::string& set_spec) override;
    void begin(const harvest::Position& start) override;
    void take(std::span<const harvest::Record> records, const harvest::Position& after) override;
    void finish(const harvest::Position& end) override;
    void abandon(const harvest::Position& end) override;

    // Writes what has been gathered. To be called when the walk has stopped, however it did; what is not written is asked
    // for again.
    void flush();
    const Tally& tally() const { return tally_; }

  private:
    enum class Walk { goes_on, ends, ends_complete };

    void gather(const harvest::Record& record);
    void gather_description(const harvest::Record& record, Gathered& out);
    void gather_payload(const harvest::Record& record, Gathered& out);
    void refuse(const harvest::Record& record, const std::string& why);
    void choose_local_id(const harvest::Record& record, Gathered& out);
    std::string origin_of(const harvest::Record& record, std::string_view name_space, bool altered) const;

    void write(Walk walk);
    void try_write(Walk walk, Tally& tally);
    void settle_local_ids();
    void make_collections();
    void write_items(Tally& tally);
    void write_payloads(Tally& tally);
    void note_records();
    void note_position(Walk walk, Tally& tally);

    pg::Connection& connection_;
    const Source& source_;
    const Normaliser& normaliser_;
    harvest::Listener& listener_;
    const DatabaseSinkOptions options_;
    load::ItemStaging staging_;
    std::string base_url_, title_;
    harvest::Position position_;  // behind what was gathered
    std::int64_t walk_ = 0;
    bool moved_ = false;          // since the position was written
    Batch batch_;
    std::unordered_set<std::string> collections_;  // that are there
    Tally tally_;
};

}  // namespace oai::aggregate
