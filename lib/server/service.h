// SPDX-License-Identifier: MIT
// The line that a request follows. The only place that catches and logs. Used by the FastCGI server
// and by `oai get` alike. Thread-safe.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/config.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

struct RequestLog;

class Service {
  public:
    // Reads the token keys, description files and formats; does not need the database yet.
    // trial_command: see FormatWatchOptions. Throws ConfigError, Fault or std::runtime_error with a
    // message for the administrator. The clock must outlive the service.
    Service(const Config& config, const Clock& clock, std::vector<std::string> trial_command = {});
    ~Service();  // stops watching; waits for a running query

    // Returns the whole response to log.request and notes in the log what becomes known of it. If
    // the database fails: 503 with Retry-After where a retry may succeed, else 500. If the client
    // exceeded its rate limit: 503. Logs one line for each failure (event=fault).
    Response answer(RequestLog& log) noexcept;
    // Returns the response to a request that read_request() or body_length() refused; log.request
    // has the parts that were read.
    Response refuse(const Refusal& refusal, RequestLog& log) noexcept;
    // Counts and logs the request (write_request_log()); to be called once the response was sent or
    // could not be sent.
    void finish(const RequestLog& log, const Response& response) noexcept;

    // For callers in this process, which send nothing: answer(), then finish().
    Response answer(const Request& request) noexcept;

    // Starts the threads of HorizonWatch and FormatWatch. `oai get` uses read_horizon() instead.
    void start_watching();
    // Reads again the token keys and description files that `changed` names, and the pages; uses
    // nothing else of it. Requests that have begun keep what was read before. Throws as the
    // constructor does if one of them cannot be used; then all stay as they were.
    void reload(const Config& changed);
    // Makes the watching thread try every format again soon.
    void reload_formats() noexcept;
    void read_horizon();  // throws as Store::horizon

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
