// SPDX-License-Identifier: MIT
// Pages that the database reads before they are asked for: while a harvester reads one page of a
// list, the next. Nothing of them is in this process yet; each has a connection of its own until
// somebody takes it, a connection is needed for something else, or a second has passed. A page is
// answered as of when it was read, so its responseDate is at most that much too early, which is
// safe (protocol/record.h). Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "store/record_cursor.h"

namespace oai {

class RecordPrefetcher {
  public:
    explicit RecordPrefetcher(int max_pages,
                              std::chrono::milliseconds lifetime = std::chrono::seconds{1})
        : max_pages_(max_pages), lifetime_(lifetime) {}

    // Whether another page should be read ahead: there is room for it, and those before it were
    // taken more often than not. Where they are not, because the list goes on in another process,
    // say, one of 32 is read to see whether that has changed.
    bool wants();
    void add(std::unique_ptr<RecordCursor> asked);  // whose ask() returned true
    // The page that was asked for by such a query; nullptr: there is none.
    std::unique_ptr<RecordCursor> take(const ListQuery& query);
    void drop_oldest();  // its connection is free when this returns

    struct Stats {
        std::int64_t asked = 0, taken = 0;
    };
    Stats stats() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Page {
        std::unique_ptr<RecordCursor> cursor;
        Clock::time_point expires;
    };
    void drop_expired(const std::stop_token& stop);

    const int max_pages_;
    const std::chrono::milliseconds lifetime_;
    mutable std::mutex mutex_;
    std::deque<Page> pages_;  // the oldest first
    int credit_ = 16;         // what may be read in vain; a page that is taken gives two
    int refused_ = 0;
    Stats stats_;
    // The thread waits for a page, not for one to expire: no page expires before one that was added
    // earlier, so that it need not be woken for each.
    bool resting_ = false;
    std::condition_variable_any added_;
    std::jthread thread_;  // drops what has expired; runs since the first page was added
};

}  // namespace oai
