// SPDX-License-Identifier: MIT
// The line that a request follows: admin pages, pages for people, arguments, rate limit, verb, HTTP
// response. The only place that catches and logs. Used by the FastCGI server and by `oai get`
// alike. Thread-safe.
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
    // Reads the token keys, description files and formats; does not need the database yet. Throws
    // ConfigError, Fault or std::runtime_error with words for the admin. The clock must outlive the
    // service.
    Service(const Config& config, const Clock& clock);
    ~Service();  // stops watching; waits for a query under way

    // The whole answer to log.request; what is known of it is noted in the log. Trouble with the
    // database: 503 with Retry-After if it is worth asking again, else 500; a client beyond its
    // rate: 503. Logs one line for what went wrong (event=fault).
    Response answer(RequestLog& log) noexcept;
    // The answer to a request that read_request() or body_length() refused; log.request has what is
    // known of it.
    Response refuse(const Refusal& refusal, RequestLog& log) noexcept;
    // To be called once the response has been sent, or could not be: counts and logs the request.
    // One log line per request (event=request), one for each record that was left out
    // (event=bad_record), and one for a record for which a compiled stylesheet gave another result
    // than libxslt (event=compiled_difference).
    void finish(const RequestLog& log, const Response& response) noexcept;

    // For callers in this process, to whom nothing needs to be sent: both in one.
    Response answer(const Request& request) noexcept;
    Response refuse(const Refusal& refusal, const Request& request) noexcept;

    // Keeps the horizon fresh (once a second, by a thread of its own and a connection of its own),
    // so that Identify and errors never wait for the database, and the formats what their directory
    // says they are. `oai get` uses read_horizon() instead.
    void start_watching();
    // Takes over the token keys and description files that `changed` names, as they are now; a
    // request under way goes on with those it began with. Throws as the constructor does if one of
    // them cannot be used; then all stay as they were. Nothing else of `changed` is used. From any
    // thread.
    void reload(const Config& changed);
    // Has the watching thread try every format again, soon. From any thread.
    void reload_formats() noexcept;
    void read_horizon();  // throws as Store::horizon

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
