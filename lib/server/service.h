// SPDX-License-Identifier: MIT
// The path of a request from parsing to the HTTP response, and the only place that catches and logs
// its exceptions. Used by the FastCGI server and by `oai get`. Thread-safe.
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
    ~Service();  // stops the threads; waits for a running query

    // Returns the response to log.request and fills in the other fields of the log. If the database
    // fails: 503 with Retry-After if a retry may succeed, else 500. If the client exceeded its rate
    // limit: 503. Logs one line for each failure (event=fault).
    Response answer(RequestLog& log) noexcept;
    // Returns the response to a request that read_request() or body_length() rejected; log.request
    // has the parts that were parsed.
    Response refuse(const Refusal& refusal, RequestLog& log) noexcept;
    // Counts and logs the request. To be called after sending, even if that failed.
    void finish(const RequestLog& log, const Response& response) noexcept;

    // For callers in this process, which send nothing: answer(), then finish().
    Response answer(const Request& request) noexcept;

    // Starts the threads of HorizonWatch and FormatWatch. `oai get` uses read_horizon() instead.
    void start_watching();
    // Reloads the token keys and description files named in `changed`, and the pages; ignores its
    // other settings. Requests in flight go on with the previous version. Throws as the constructor
    // does if a file is invalid; the previous version then stays in use.
    void reload(const Config& changed);
    // Makes the thread of FormatWatch try every format again.
    void reload_formats() noexcept;
    void read_horizon();  // throws as Store::horizon

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
