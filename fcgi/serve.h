// SPDX-License-Identifier: MIT
// The FastCGI loop: accepts connections, reads requests and sends whole responses. Knows CGI
// variables and bodies, but no SQL, no XML and no OAI-PMH.
#pragma once

#include <functional>

#include "base/config.h"
#include "fcgi/listener.h"
#include "monitor/request_log.h"
#include "web/request.h"
#include "web/response.h"

namespace oai::fcgi {

// Answers requests; called by many threads at once, and must not throw. `answer` and `refuse`
// return a whole response to log.request; `finish` is called once the response was sent or could
// not be sent, which log.sent says.
struct Handler {
    std::function<Response(RequestLog& log)> answer;
    std::function<Response(const Refusal&, RequestLog& log)> refuse;
    std::function<void(const RequestLog& log, const Response&)> finish;
    std::function<void()> reload = [] {};  // on SIGHUP, by the main thread
};

// Once per process, before any thread starts: SIGTERM, SIGINT, SIGUSR1 and SIGHUP stay pending
// until serve() takes them, SIGPIPE is ignored (libfcgi has handlers of its own for some of these).
void initialise();

// Serves with options.workers threads until SIGTERM, SIGINT or SIGUSR1, calls handler.reload for
// each SIGHUP, and keeps the service manager informed (base/sd_notify.h). Returns the exit code 0;
// ends the process with 1 if a request does not end in time. Throws std::system_error if it cannot
// start.
int serve(Listener& listener, const Config::Server& options, const Handler& handler);

}  // namespace oai::fcgi
