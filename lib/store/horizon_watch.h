// SPDX-License-Identifier: MIT
// The thread that keeps the latest horizon and the exclusions fresh, with a connection of its own
// beside the pool. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "store/excluded_records.h"
#include "store/latest_horizon.h"
#include "store/store.h"

namespace oai {

// What the watch knows of the database, for pages that show how the server is.
struct DatabaseStatus {
    std::optional<Horizon> horizon{};  // the last one; none: none was ever seen
    std::string trouble{};     // why the database did not answer the last question; "" it did
    std::string unnumbered{};  // it answered, and has no horizon: why
    std::int64_t queued = -1;  // changes that wait to be published; -1: not known
    std::int64_t blocked_seconds = 0;  // for how long some of them have been waiting for a lock
    std::string blocked_by{};          // who has the lock; "": nobody was seen to have it
    std::optional<std::chrono::steady_clock::time_point>
        checked{};  // when the last check ended, well or not; none: no check has ended
};

class HorizonWatch {
  public:
    // The store is the watch's own and should hold one connection. It does nothing before start().
    // What it reads goes to the others.
    HorizonWatch(StoreOptions options, LatestHorizon& latest, ExcludedRecordsCache& exclusions,
                 RecordStatements& statements);
    ~HorizonWatch();  // stops the thread; waits for a query under way

    // Once: asks at once, then once a second; failures are logged once per change of state. Returns
    // when the first question was answered, or failed, or has taken two seconds: a server that has
    // just been started would say 503 to whoever waits for it.
    void start();
    void refresh();  // in the caller's thread; throws as Store::horizon
    DatabaseStatus database_status() const;

  private:
    void run();
    DatabaseStatus check();
    void log_change(const std::string& trouble);
    Store store_;
    LatestHorizon& latest_;
    ExcludedRecordsCache& excluded_;
    RecordStatements& statements_;
    mutable std::mutex mutex_;
    DatabaseStatus status_;            // all but the horizon
    std::condition_variable changed_;  // stopping_ or checked_
    bool stopping_ = false;
    bool checked_ = false;
    bool failing_ = false;  // by the watching thread alone
    std::thread thread_;
};

}  // namespace oai
