// SPDX-License-Identifier: MIT
// The FastCGI loop: accepts connections, reads requests and sends whole responses. Knows CGI
// variables and bodies, but no SQL, no XML and no OAI-PMH.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/config.h"
#include "base/fd.h"
#include "monitor/request_log.h"
#include "web/request.h"
#include "web/response.h"

namespace oai::fcgi {

// The listening socket, created here or inherited. Knows nothing of FastCGI.
class Listener {
  public:
    // Creates a Unix socket at `path` with mode 0660, replacing a stale one. If `path` is empty,
    // uses the socket that systemd, spawn-fcgi or mod_fcgid passes. Throws std::runtime_error with
    // a message for the administrator. Changes the umask for a moment: call before threads start.
    explicit Listener(const std::string& path);
    ~Listener() { withdraw(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return fd_.get(); }
    // False if the socket is inherited: another process will accept what is in its queue.
    bool owned() const { return !path_.empty(); }
    // Unlinks an owned socket, so that no new connection reaches it; those in its queue can still
    // be accepted. Does nothing if another server has replaced the socket.
    void withdraw() noexcept;

  private:
    void bind_to_path();

    std::string path_;
    Fd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// Shuts down connections that exceed their deadline, and detects workers that do not end even then.
// Socket timeouts alone do not bound a request: a peer that sends or receives one byte every few
// seconds never exceeds them. Thread-safe. Must outlive its Watches.
class Deadlines {
  public:
    // stuck: called with 1 for a worker that still runs two seconds after its deadline, and with -1
    // if it ends after all; by any thread.
    Deadlines(std::chrono::seconds limit, std::function<void(int change)> stuck);

    // Shuts the connection down in both directions if it is still alive at the deadline; reads and
    // writes then fail at once. Holds a duplicate of the descriptor, as libfcgi closes the
    // original.
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
        bool expired_ = false, stuck_ = false;
    };

  private:
    void run(const std::stop_token& stop);

    const std::chrono::seconds limit_;
    const std::function<void(int change)> stuck_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::set<Watch*> watches_;
    std::jthread thread_;  // declared last, since it uses all members above
};

// The callbacks for requests, as in Service; called by many threads. They must not throw.
struct Handler {
    std::function<Response(RequestLog& log)> answer;
    std::function<Response(const Refusal&, RequestLog& log)> refuse;
    std::function<void(const RequestLog& log, const Response&)> finish;
    std::function<void()> reload = [] {};  // on SIGHUP, by the main thread
    bool is_ready = true;                  // whether to report READY to the service manager
};

// Call once, before any thread starts. Blocks SIGTERM, SIGINT, SIGUSR1 and SIGHUP, which serve()
// waits for, and ignores SIGPIPE (libfcgi installs its own handlers for some of these).
void initialise();

// Serves with options.workers threads until SIGTERM, SIGINT or SIGUSR1, calls handler.reload for
// each SIGHUP, and keeps the service manager informed (base/sd_notify.h). Returns the exit code 0;
// ends the process with 1 if a request does not end in time, and with 0 if the caller's cleanup
// takes more than two seconds. A worker that cannot be interrupted (libxml2, libxslt and libpq have
// loops without a limit) is abandoned; when a quarter of the workers are, the process finishes the
// other requests and executes its program again, with the same process id and inherited socket.
// Throws std::system_error if it cannot start.
int serve(Listener& listener, const Config::Server& options, const Handler& handler);

}  // namespace oai::fcgi
