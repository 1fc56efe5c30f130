// SPDX-License-Identifier: MIT
// A request's way through the house, in one line: arguments -> verb -> document -> response; what is under /-/ has pages
// of its own (page/). The only place
// that catches and logs. Used by the FastCGI server and by `oai get` alike. Thread-safe.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/config.h"
#include "request.h"
#include "response.h"

namespace oai {

class Service {
  public:
    // Reads the token keys, description files and formats; does not need the database yet. Throws
    // ConfigError, Fault or std::runtime_error with words for the admin. The clock must outlive the service.
    Service(const Config& config, const Clock& clock);
    ~Service();  // stops watching; waits for a question under way

    // Never throws, never half an answer. Database trouble: 503 with Retry-After if it is worth asking again,
    // else 500; a client beyond its rate: 503. The answer is handed over by `write`, where there is one, before anything
    // is said of it. One log line per request (event=request), one more for what went wrong (event=fault) and for
    // each record that was left out (event=bad_record), and one for a record that a compiled stylesheet made otherwise
    // than libxslt (event=compiled_difference).
    Response answer(const Request& request, const Write& write = {}) noexcept;
    // The answer to what read_request or body_length refused; `seen` is what is known of the request, for the
    // log.
    Response refuse(const Refusal& refusal, const Request& seen, const Write& write = {}) noexcept;

    // Keeps the horizon fresh (once a second, by a thread of its own and a connection of its own), so that
    // Identify and errors never wait for the database, and the formats what their directory says they are.
    // `oai get` uses read_horizon() instead.
    void start_watching();
    // Takes over the token keys and description files that `anew` names, as they are now; a request under way goes on
    // with those it began with. If one of them cannot be used, all stay as they were, and the log says why. Nothing else
    // of `anew` is looked at. From any thread.
    void reload(const Config& anew) noexcept;
    // Soon, by the watching thread: judges every format anew. From any thread.
    void reload_formats() noexcept;
    void read_horizon();  // throws as Store::horizon

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace oai
