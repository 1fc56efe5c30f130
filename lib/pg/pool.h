// SPDX-License-Identifier: MIT
// M connections for N threads. Whoever finds none waits at most max_wait, behind at most max_waiters others;
// beyond that Busy is thrown at once, so that an overloaded server says so in milliseconds. Connections go to those
// who wait in the order in which they came. Thread-safe. Knows no OAI.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
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
    // Settings of every session, name and value ("jit", "off"), made by set_config() right after connecting. So
    // they win over those of the role, the database and the conninfo's options.
    std::vector<std::pair<std::string, std::string>> settings;
    std::chrono::seconds max_age{600};  // an older connection is opened anew by its next taker: where the conninfo names
                                        // several hosts, a better one may be there again
    std::chrono::milliseconds patience{};  // of each connection, see there
    std::string on_connect;  // one script, run after the settings; "" none
};

class Pool {
    using Clock = std::chrono::steady_clock;
    struct Opened {
        std::unique_ptr<Connection> connection;  // null: to be opened
        Clock::time_point at;
    };

  public:
    // Connects nothing yet.
    explicit Pool(PoolOptions options);

    // A connection, given back by the destructor: a broken one is dropped and opened anew by the next taker, one
    // that is still in a transaction is rolled back first. REQUIRES: the Pool outlives it.
    class Lease {
      public:
        Lease(Lease&&) noexcept;
        Lease& operator=(Lease&&) = delete;
        ~Lease();
        Connection& operator*() const { return *connection_; }
        Connection* operator->() const { return connection_.get(); }

      private:
        friend class Pool;
        Lease(Pool* pool, Opened opened);
        Pool* pool_;
        std::unique_ptr<Connection> connection_;
        Clock::time_point opened_;
    };

    // Throws Busy, or Error (connecting failed). A connection that died while it was idle (the database was
    // restarted, an administrator ended the backend) is replaced here, so that it costs nobody a request.
    Lease take();

    // No connection opened before now is used again. For so long, new ones go to the primary, if libpq finds one among
    // the hosts of the conninfo; they stay for max_age.
    void distrust_replicas(std::chrono::seconds how_long);

    struct Use {
        int in_use, idle, waiting;
        // Since the beginning: who got a connection, who had to wait for it or in vain, who was told Busy.
        std::int64_t taken = 0, waited = 0, refused = 0;
        std::chrono::nanoseconds waiting_time{0};
    };
    Use use() const;

  private:
    // Counts the caller in as a user; its idle connection, if there is one.
    Opened enter();
    void wait(std::unique_lock<std::mutex>& lock);
    [[noreturn]] void refuse(const std::string& why);
    Opened open() const;
    std::unique_ptr<Connection> connect() const;
    void give_back(Opened opened) noexcept;
    bool outlived(const Opened& opened) const;  // under the mutex
    PoolOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<Opened> idle_;                       // the last one given back is the next one taken
    std::deque<std::uint64_t> queue_;                // tickets of those who wait, first come first
    std::uint64_t next_ticket_ = 0;
    int in_use_ = 0;
    Clock::time_point renewed_{};             // connections opened before are not used again
    std::atomic<Clock::time_point> primary_until_{};
    Use total_{};  // its counters
};

}  // namespace oai::pg
