// SPDX-License-Identifier: MIT
// A thread that reads the horizon once a second, over a connection of its own. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "protocol/record.h"
#include "store/replica.h"
#include "store/store.h"

namespace oai {

// The last horizon that was read, which gives responses that need no database their responseDate.
// It moves forward only, with two exceptions: a new epoch, and a greater number with an earlier
// second, which `oai publish --mend-clock` writes. Thread-safe.
class LatestHorizon {
  public:
    void remember(const Horizon& horizon);
    Horizon get() const;               // throws Unavailable if none was ever read
    ReplicaPosition position() const;  // of that horizon; epoch 0 if none was ever read
    std::optional<Horizon> get_if_any() const;

  private:
    mutable std::mutex mutex_;
    std::optional<Horizon> horizon_;
};

// The state of the database, for the health, status and metrics pages.
struct DatabaseStatus : Store::QueueState {
    std::optional<Horizon> horizon{};  // the last one; nullopt: none was read yet
    std::string trouble{};             // why the last query failed; "": it succeeded
    std::string unnumbered{};          // why the database has no horizon yet; "": it has one
    std::optional<std::chrono::steady_clock::time_point>
        checked{};  // when the last check ended, successful or not
};

class HorizonWatch {
  public:
    // Passes what it reads to `latest` and `statements`. Opens one connection of its own.
    HorizonWatch(StoreOptions options, LatestHorizon& latest, RecordStatements& statements);
    // The destructor stops the thread and waits for a query under way.

    // Reads at once, then once a second. Returns when the first query has succeeded or failed, or
    // after two seconds, since a server that has no horizon yet would answer its first clients 503.
    void start();
    void refresh();  // in the caller's thread; throws as Store::horizon
    DatabaseStatus database_status() const;

  private:
    void run(const std::stop_token& stop);
    DatabaseStatus check();
    void log_change(const std::string& trouble);
    Store store_;
    LatestHorizon& latest_;
    RecordStatements& statements_;
    mutable std::mutex mutex_;
    DatabaseStatus status_;                // without the horizon, which database_status() adds
    std::condition_variable_any changed_;  // checked_
    bool checked_ = false;
    bool failing_ = false;  // used by the thread alone
    std::jthread thread_;   // declared last, since it uses all members above
};

}  // namespace oai
