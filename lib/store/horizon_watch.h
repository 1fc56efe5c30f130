// SPDX-License-Identifier: MIT
// The thread that keeps the latest horizon fresh, over its own connection. Thread-safe.
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

// The last horizon that anybody has read, so that an answer which needs no database has an honest
// responseDate without waiting for one. It only moves forward; but a new epoch begins anew, and a
// greater number with an earlier second is what `oai publish --mend-clock` leaves. Thread-safe.
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

// What the watch knows of the database, for pages that show how the server is.
struct DatabaseStatus : Store::QueueState {
    std::optional<Horizon> horizon{};  // the last one; none: none was ever seen
    std::string trouble{};     // why the database did not answer the last question; "" it did
    std::string unnumbered{};  // it answered, and has no horizon: why
    std::optional<std::chrono::steady_clock::time_point>
        checked{};  // when the last check ended, well or not; none: no check has ended
};

class HorizonWatch {
  public:
    // What it reads, over one connection of its own, goes to the others.
    HorizonWatch(StoreOptions options, LatestHorizon& latest, RecordStatements& statements);
    // The destructor stops the thread and waits for a query under way.

    // Asks at once, then once a second. Returns when the first question was answered, or failed, or
    // has taken two seconds: a server that has just been started would say 503 to who waits for it.
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
    DatabaseStatus status_;                // all but the horizon
    std::condition_variable_any changed_;  // checked_
    bool checked_ = false;
    bool failing_ = false;  // by the watching thread alone
    std::jthread thread_;   // the last, since it uses all of the above
};

}  // namespace oai
