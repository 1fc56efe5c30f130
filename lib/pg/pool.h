// SPDX-License-Identifier: MIT
// M connections for N threads. Whoever finds none waits at most max_wait, behind at most max_waiters others;
// beyond that Busy is thrown at once, so that an overloaded server says so in milliseconds. Connections go to those
// who wait in the order in which they came. Thread-safe. Knows no OAI.
#pragma once

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
    std::string on_connect;  // one script, run after the settings; "" none
};

class Pool {
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
        Lease(Pool* pool, std::unique_ptr<Connection> c);
        Pool* pool_;
        std::unique_ptr<Connection> connection_;
    };

    // Throws Busy, or Error (connecting failed). A connection that died while it was idle (the database was
    // restarted, an administrator ended the backend) is replaced here, so that it costs nobody a request.
    Lease take();

    struct Use { int in_use, idle, waiting; };
    Use use() const;

  private:
    // Counts the caller in as a user; its idle connection, or null: to be opened.
    std::unique_ptr<Connection> enter();
    std::unique_ptr<Connection> open() const;
    void give_back(std::unique_ptr<Connection> connection) noexcept;
    PoolOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Connection>> idle_;  // the last one given back is the next one taken
    std::deque<std::uint64_t> queue_;                // tickets of those who wait, first come first
    std::uint64_t next_ticket_ = 0;
    int in_use_ = 0;
};

}  // namespace oai::pg
