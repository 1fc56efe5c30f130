// SPDX-License-Identifier: MIT
// The horizon last seen, so that an answer which needs no database has an honest responseDate without waiting
// for one; and the thread that keeps it and the exclusions fresh, with a connection of its own beside the pool. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "exclusions.h"
#include "reach.h"
#include "store.h"

namespace oai {

// Horizons only move forward (an older snapshot may be reported later), but for a new epoch: a rebuilt
// repository begins anew.
class LatestHorizon {
  public:
    void remember(const Horizon& seen);
    Horizon get() const;  // throws Unavailable if none was ever seen
    Reach reach() const;  // of that horizon

  private:
    mutable std::mutex mutex_;
    std::optional<Horizon> horizon_;
};

class HorizonWatch {
  public:
    // The store is the watch's own and should hold one connection. Nothing is asked before start().
    HorizonWatch(StoreOptions options, LatestHorizon& latest, Exclusions& exclusions);
    ~HorizonWatch();  // stops the thread; waits for a question under way

    // Once: asks at once, then once a second; failures are logged once per change of state. Returns when the first
    // question was answered, or failed, or has taken two seconds: a server that has just been started would say 503
    // to whoever waits for it.
    void start();
    void ask_once();  // in the caller's thread; throws as Store::horizon

  private:
    void run();
    void ask_and_log();
    Store store_;
    LatestHorizon& latest_;
    Exclusions& exclusions_;
    std::mutex mutex_;
    std::condition_variable changed_;  // stopping_ or asked_
    bool stopping_ = false;
    bool asked_ = false;
    bool failing_ = false;  // by the watching thread alone
    std::thread thread_;
};

}  // namespace oai
