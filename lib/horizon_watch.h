// SPDX-License-Identifier: MIT
// The horizon last seen, so that an answer which needs no database has an honest responseDate without waiting
// for one; and the thread that keeps it and the exclusions fresh, with a connection of its own beside the pool. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
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
    std::optional<Horizon> seen() const;

  private:
    mutable std::mutex mutex_;
    std::optional<Horizon> horizon_;
};

// What the watch knows of the database, for pages that show how the server is.
struct Sight {
    std::optional<Horizon> horizon{};  // the last one; none: none was ever seen
    std::string trouble{};     // why the database did not answer the last question; "" it did
    std::string unnumbered{};  // it answered, and has no horizon: why
    std::int64_t queued = -1;  // changes that wait to be published (Store::queued()); -1: not known
    std::optional<std::chrono::steady_clock::time_point> asked{};  // the last question that came to an end
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
    Sight sight() const;

  private:
    void run();
    Sight ask();
    void tell(const std::string& trouble);
    Store store_;
    LatestHorizon& latest_;
    Exclusions& exclusions_;
    mutable std::mutex mutex_;
    Sight sight_;  // all but the horizon
    std::condition_variable changed_;  // stopping_ or asked_
    bool stopping_ = false;
    bool asked_ = false;
    bool failing_ = false;  // by the watching thread alone
    std::thread thread_;
};

}  // namespace oai
