// SPDX-License-Identifier: MIT
// What a walk of one source brings, into the model library. Pages are gathered, and written (batch_writer.h) in one
// transaction with the position behind the last of them: after kill -9 the walk goes on there. A thread of its own writes
// while the walk goes on to gather the next; its failures are thrown by the next call that needs the database, a take()
// that fills a batch at the latest. Knows no HTTP. To be used by one thread. Throws pg::Error, and std::runtime_error in
// words; then all that is left to do is flush().
#pragma once

#include <cstdint>
#include <future>
#include <string>

#include "aggregate/batch.h"
#include "aggregate/batch_writer.h"
#include "aggregate/normaliser.h"
#include "aggregate/source.h"
#include "harvest/listener.h"
#include "harvest/sink.h"
#include "pg/connection.h"

namespace oai::aggregate {

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
    void gather(const harvest::Record& record, const std::string& prefix);
    void gather_description(const harvest::Record& record, Gathered& out);
    void gather_payload(const harvest::Record& record, Gathered& out);
    void refuse(const std::string& identifier, const std::string& why);
    void pass_over(const harvest::Record& record, const Gathered& gathered, const std::string& why);
    void choose_local_id(const harvest::Record& record, Gathered& out);
    std::string origin_of(const harvest::Record& record, std::string_view name_space, bool altered) const;

    void write(Ending ending);
    void settle();

    pg::Connection& connection_;
    const Source& source_;
    const Normaliser& normaliser_;
    harvest::Listener& listener_;
    const DatabaseSinkOptions options_;
    BatchWriter writer_;
    std::string base_url_, title_;
    harvest::Position position_;  // behind what was gathered
    std::int64_t walk_ = 0;
    bool moved_ = false;          // since the position was written
    Batch batch_;
    std::vector<std::string> met_;  // Work's
    Tally tally_;
    std::future<Tally> writing_;  // who has the connection meanwhile; the last member, since its end is waited for
};

}  // namespace oai::aggregate
