// SPDX-License-Identifier: MIT
// The FastCGI loop: accepts connections, reads requests and sends whole responses. Knows CGI
// variables and bodies, but no SQL, no XML and no OAI-PMH.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "base/config.h"
#include "base/fd.h"
#include "fcgi/listener.h"
#include "monitor/request_log.h"
#include "web/request.h"
#include "web/response.h"

namespace oai::fcgi {

// Shuts down connections that outlive their deadline. Socket timeouts alone do not bound a request:
// a peer that sends or takes one byte every few seconds never exceeds them, and libfcgi's reads and
// writes have no other limit.

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
