// SPDX-License-Identifier: MIT
// Shares M connections between N threads. A thread that finds none waits at most max_wait; if
// max_waiters others are waiting already, Busy is thrown at once, so that an overloaded server
// reports that within milliseconds. Waiting threads are served in the order in which they came.
// Thread-safe. Knows nothing of OAI-PMH.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pg/connection.h"

namespace oai::pg {

class Busy : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct PoolOptions {
    std::string conninfo;
    std::string application_name;
    int connections = 4;  // at least 1
    int max_waiters = 8;
    std::chrono::milliseconds max_wait{1000};
    // Settings of every session, name and value ("jit", "off"), applied by set_config() right after
    // connecting. So they override those of the role, the database and the options of conninfo.
    std::vector<std::pair<std::string, std::string>> settings;
    // An older connection is replaced when it is taken next: if conninfo names several hosts, a
    // preferred one may be available again.
    std::chrono::seconds max_age{600};
    std::chrono::milliseconds result_timeout{};  // of each Connection
    std::string on_connect;                      // a script to run after the settings, or ""
};

class Pool {
    using Clock = std::chrono::steady_clock;
    struct PooledConnection {
        std::unique_ptr<Connection> connection;  // null: must be opened
        Clock::time_point opened_at;
    };

  public:
    // Opens no connection yet.
    explicit Pool(PoolOptions options);

    // A connection that the destructor releases to the pool, out of its transaction and not broken.
    // REQUIRES: the Pool outlives it.
    class Lease {
      public:
        Lease(Lease&&) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        ~Lease() {
            if (pooled_.connection) pool_.release(std::move(pooled_));
        }
        Connection& operator*() const { return *pooled_.connection; }
        Connection* operator->() const { return pooled_.connection.get(); }

      private:
        friend class Pool;
        Lease(Pool& pool, PooledConnection pooled) : pool_(pool), pooled_(std::move(pooled)) {}
        Pool& pool_;
        PooledConnection pooled_;
    };

    // Throws Busy, or Error if connecting failed. Replaces a connection that was lost while idle.
    Lease acquire();

    // An idle connection that is open, unless callers wait for one; nullopt: there is none.
    std::optional<Lease> acquire_idle();
    // Whether acquire() would have to wait just now.
    bool is_exhausted() const;

    // Stops using connections that were opened before now. During `how_long`, new connections go to
    // the primary if libpq finds one among the hosts of conninfo; they are used for max_age.
    void prefer_primary(std::chrono::seconds how_long);

    struct Stats {
        int in_use, idle, waiting;
        // Since the start: connections taken, callers that had to wait, callers that got Busy.
        std::int64_t taken = 0, waited = 0, refused = 0;
        std::chrono::nanoseconds waiting_time{0};
    };
    Stats stats() const;

  private:
    // Waits for a free place, and returns an idle connection if there is one.
    PooledConnection reserve();
    void wait(std::unique_lock<std::mutex>& lock);
    [[noreturn]] void refuse(const std::string& why);
    PooledConnection open() const;
    std::unique_ptr<Connection> connect() const;
    void release(PooledConnection pooled) noexcept;
    bool is_expired(const PooledConnection& pooled) const;  // REQUIRES: mutex_ is locked
    PoolOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<PooledConnection> idle_;  // the last one given back is taken next
    std::deque<std::uint64_t> queue_;     // tickets of the waiting threads, in order
    std::uint64_t next_ticket_ = 0;
    int in_use_ = 0;
    Clock::time_point min_opened_at_{};  // older connections are not used any more
    std::atomic<Clock::time_point> primary_until_{};
    Stats totals_{};  // only its counters
};

}  // namespace oai::pg
