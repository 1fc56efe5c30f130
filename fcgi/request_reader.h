// SPDX-License-Identifier: MIT
// Accepts connections and reads requests until they are complete. One idle worker at a time does
// this for all, so a slow sender occupies no worker; while all workers are busy, nothing is read.
// If the limits on number and memory are exceeded, the oldest incomplete request is dropped. Knows
// the records of FastCGI 1.0, but no CGI variable.
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

// The records that one peer has sent so far. Keeps their contents and no padding.
class RequestRecords {
  public:
    // Limit for all parameters together; Apache's default limits allow a hundred headers of 8 KB.
    static constexpr std::size_t kMaxParameterBytes = 1 << 20;

    // Bytes of the body beyond the limit are read and discarded: the response will be 413, which
    // Apache passes on only if the whole body was read.
    explicit RequestRecords(std::size_t body_limit) : body_limit_(body_limit) {}

    // Appends bytes. Returns why the request must be dropped, such as "aborted", else "".
    std::string_view add(std::string_view bytes);
    bool is_complete() const { return is_complete_; }
    std::size_t bytes() const { return rest_.size() + parameters_.size() + body_.size(); }
    std::uint16_t id() const { return id_; }
    // The whole request as records without padding, for libfcgi.
    std::string normalised() const;

  private:
    std::string_view take(unsigned char type, std::uint16_t id, std::string_view content);
    std::string_view begin(std::uint16_t id, std::string_view content);

    std::size_t body_limit_;
    std::string rest_;  // the beginning of an incomplete record
    std::string parameters_, body_;
    std::uint16_t id_ = 0;
    bool has_begun_ = false, has_parameters_ = false, is_complete_ = false;
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

    // Waits for the next complete request. One caller reads for all while the others block; while
    // there is no caller, connections stay in the queue of the socket. Returns nullopt after
    // stop(), once no request is left.
    std::optional<ReceivedRequest> next();
    // Gives incomplete requests one more second. If `empty_queue`, also accepts the connections
    // that are still in the queue of the socket; otherwise another process will.
    void stop(bool empty_queue);

  private:
    using Time = std::chrono::steady_clock::time_point;
    struct IncompleteRequest {
        Fd connection;
        RequestRecords records;
        Time accepted, last_received;
        std::list<IncompleteRequest>::iterator place{};
        bool is_watched = false;  // by epoll
    };

    bool wait();
    void accept_some(std::size_t most);
    void add(Fd connection);
    bool read(IncompleteRequest& request);
    Fd remove(IncompleteRequest& request);
    void drop(IncompleteRequest& request, std::string_view why);
    void drop_late(Time now);

    const int listening_;
    const std::size_t body_limit_, max_accepted_, max_incomplete_;
    const std::chrono::seconds request_, idle_;
    const Fd epoll_, stopped_;  // an eventfd
    std::atomic<bool> is_stopping_ = false, empty_queue_ = false;

    std::mutex reader_mutex_;  // held by the request caller; guards all that follows
    std::list<IncompleteRequest> incomplete_;  // the oldest first
    std::size_t bytes_ = 0;                    // of all that is being read
    std::deque<ReceivedRequest> complete_;     // not yet handed over
    std::optional<Time> stop_deadline_;        // when stopping
    Time last_check_{};                        // last call of drop_late()
};

}  // namespace oai::fcgi
