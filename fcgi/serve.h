// SPDX-License-Identifier: MIT
// The FastCGI loop: connections in, whole answers out. Knows CGI variables and bodies; no SQL, no
// XML, no OAI.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/config.h"
#include "fcgi/deadline.h"
#include "fcgi/listener.h"
#include "monitor/request_log.h"
#include "web/request.h"
#include "web/response.h"

namespace oai::fcgi {

// What answers requests; called by many threads at once, and must not throw. `answer` and `refuse`
// return a whole response to log.request; `finish` follows once it was sent, or could not be, and
// the log says which.
struct Handler {
    std::function<Response(RequestLog& log)> answer;
    std::function<Response(const Refusal&, RequestLog& log)> refuse;
    std::function<void(const RequestLog& log, const Response&)> finish;
    std::function<void()> reload = [] {};  // on SIGHUP, by the main thread
};

// Once per process, before any thread starts: SIGTERM, SIGINT, SIGUSR1 and SIGHUP stay pending
// until wait_for_stop() takes them, SIGPIPE is ignored (libfcgi has handlers of its own for some of
// these).
void initialise();

// Sleeps until SIGTERM, SIGINT or SIGUSR1 and returns its number; calls reload for each SIGHUP.
int wait_for_stop(const std::function<void()>& reload);

class Server {
  public:
    // Starts options.workers threads. The listener must outlive the server. Throws
    // std::system_error.
    Server(Listener& listener, const Config::Server& options, Handler handler);
    ~Server();  // stops, and waits for the last request
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // No new requests; those in flight are finished, and so are those in the queue of a socket that
    // is ours alone.
    void stop();
    // True as soon as all workers have ended; false if some still work after that time.
    bool ended_within(std::chrono::seconds patience);

  private:
    void work(int epoll);
    bool wait_for_connection(int epoll) const;
    Fd accept_connection() const;
    void converse(Fd connection);

    Listener& listener_;
    const Config::Server options_;
    const Handler handler_;
    Fd stopping_;  // an eventfd that is never read, so every worker sees it
    Deadlines deadlines_;
    std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0;
    std::vector<std::jthread> workers_;
};

// Serves until a signal says stop, and keeps the service manager informed (base/sd_notify.h).
// Returns the exit code: 0, or 1 if a request did not end in time.
int serve(Listener& listener, const Config::Server& options, Handler handler);

}  // namespace oai::fcgi
