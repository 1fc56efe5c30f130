// SPDX-License-Identifier: MIT
// M connections for N threads. Whoever finds none waits at most max_wait, behind at most max_waiters others;
// beyond that Busy is thrown at once, so that an overloaded server says so in milliseconds. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "pg/connection.h"

namespace oai::pg {

class Busy : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct PoolOptions {
    std::string conninfo;
    std::string application_name;
    int connections = 4;
    int max_waiters = 8;
    std::chrono::milliseconds max_wait{1000};
    std::string on_connect;  // settings of the role, one script; "" none
};

class Pool {
  public:
    explicit Pool(PoolOptions options);

    // A connection, given back by the destructor: a broken one is dropped and opened anew by the next taker, one
    // that is still in a transaction is rolled back first.
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

    // Throws Busy, or Error (connecting failed).
    Lease take();

    struct Use { int in_use, idle, waiting; };
    Use use() const;

  private:
    void give_back(std::unique_ptr<Connection> connection) noexcept;
    PoolOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Connection>> idle_;
    int in_use_ = 0;
    int waiting_ = 0;
};

}  // namespace oai::pg
