// SPDX-License-Identifier: MIT
// Shuts down connections that outlive their deadline. Socket timeouts alone do not bound a request:
// a peer that sends or takes one byte every few seconds never exceeds them, and libfcgi's reads and
// writes have no other limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "base/fd.h"

namespace oai::fcgi {

// Thread-safe. Outlives its Watches.
class Deadlines {
  public:
    explicit Deadlines(std::chrono::seconds limit);

    // While it lives, the connection is shut down in both directions once the limit has passed;
    // whoever reads or writes it then fails at once. Holds a duplicate of the descriptor, since
    // libfcgi closes the original at a time of its own and the number would soon mean another
    // connection. expired() tells whether that has happened.
    class Watch {
      public:
        Watch(Deadlines& deadlines, int fd);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        bool expired() const;

      private:
        friend class Deadlines;
        Deadlines& deadlines_;
        Fd fd_;
        std::chrono::steady_clock::time_point until_;
        bool expired_ = false;
        std::list<Watch*>::iterator place_;
    };

  private:
    void run(const std::stop_token& stop);

    const std::chrono::seconds limit_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Watch*> watches_;  // one limit for all: the first is always the next to expire
    std::jthread thread_;        // last: it uses all of the above
};

}  // namespace oai::fcgi
