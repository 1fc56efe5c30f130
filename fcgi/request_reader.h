// SPDX-License-Identifier: MIT
// Accepts connections and reads their requests, always by one of the workers that have nothing else
// to do, and hands over those that are whole. So a request that is still being sent costs no
// worker. Knows the records of FastCGI 1.0 and no variable. Beyond the bounds, that which has been
// read the longest is dropped. While all workers are busy, nothing is read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/config.h"
#include "base/fd.h"

namespace oai::fcgi {

// What one peer has sent. Holds the contents of records alone, whatever their padding.
class RequestRecords {
  public:
    // All parameters together; Apache's limits let a hundred headers of 8 KB through.
    static constexpr std::size_t kMaxParameterBytes = 1 << 20;

    // Of the body, what is beyond the limit is read and discarded: the answer will be 413, which
    // Apache passes on only if all of the body was taken.
    explicit RequestRecords(std::size_t body_limit) : body_limit_(body_limit) {}

    // Takes the next bytes. Returns why this is no request that is answered, as "aborted", else "".
    std::string_view add(std::string_view bytes);
    bool whole() const { return is_whole_; }
    std::size_t bytes() const { return rest_.size() + parameters_.size() + body_.size(); }
    std::uint16_t id() const { return id_; }
    // The whole request as records without padding, for libfcgi.
    std::string normalised() const;

  private:
    std::string_view take(unsigned char type, std::uint16_t id, std::string_view content);
    std::string_view begin(std::uint16_t id, std::string_view content);

    std::size_t body_limit_;
    std::string rest_;  // of a record that has not come to its end
    std::string parameters_, body_;
    std::uint16_t id_ = 0;
    bool has_begun_ = false, has_parameters_ = false, is_whole_ = false;
};

struct ReceivedRequest {
    Fd connection;
    std::uint16_t id;     // of the request on it
    std::string records;  // RequestRecords::normalised()
};

// Thread-safe.
class RequestReader {
  public:
    // A request must be whole within options.request_seconds, and its peer may be silent for
    // options.idle_seconds. Throws std::system_error.
    RequestReader(int listening, const Config::Server& options);
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    // Waits for the next whole request: one caller reads for all, the others wait for their turn.
    // While nobody calls, connections stay in the queue of the socket. Returns nothing once reading
    // was stopped and all that came has been handed over.
    std::optional<ReceivedRequest> next();
    // What is being read has a second more to become whole. If `empty_queue`, the connections in
    // the queue of the socket are accepted still; otherwise they are left to another process.
    void stop(bool empty_queue);

  private:
    using Time = std::chrono::steady_clock::time_point;
    struct Reading {
        Fd connection;
        RequestRecords records;
        Time accepted, heard;
        std::list<Reading>::iterator place{};
        bool is_watched = false;  // by epoll
    };

    bool wait();
    void accept_some(std::size_t most);
    void add(Fd connection);
    bool read(Reading& reading);
    Fd forget(Reading& reading);
    void drop(Reading& reading, std::string_view why);
    void drop_late(Time now);

    const int listening_;
    const std::size_t body_limit_, max_accepted_, max_reading_;
    const std::chrono::seconds request_, idle_;
    const Fd epoll_, stopped_;  // an eventfd
    std::atomic<bool> is_stopping_ = false, empty_queue_ = false;

    std::mutex turn_;                    // of the caller who reads; all that follows is his
    std::list<Reading> reading_;         // the oldest first
    std::size_t bytes_ = 0;              // of all that is being read
    std::deque<ReceivedRequest> whole_;  // not yet handed over
    std::optional<Time> until_;          // when stopping
    Time judged_{};                      // when it was last looked for what is late
};

}  // namespace oai::fcgi
