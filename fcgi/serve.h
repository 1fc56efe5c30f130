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
    // Creates a Unix socket at `path` with mode 0660, in place of one that nobody listens on any
    // more. If `path` is empty, takes the socket that systemd passes, else file descriptor 0, as
    // from spawn-fcgi and mod_fcgid. Throws std::runtime_error with a message for the
    // administrator. Sets the umask for a moment: call before threads start.
    explicit Listener(const std::string& path);
    ~Listener() { withdraw(); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int fd() const { return fd_.get(); }
    // False if the socket is inherited: another process will accept what is in its queue.
    bool owned() const { return !path_.empty(); }
    // Removes an owned socket's name, so that no new connection reaches it; those in its queue can
    // still be accepted. Does nothing if another server has put its own socket there.
    void withdraw() noexcept;

  private:
    void bind_to_path();

    std::string path_;
    Fd fd_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// Shuts down connections that outlive their deadline, and notices workers that go on nevertheless.
// Socket timeouts alone do not bound a request: a peer that sends or takes one byte every few
// seconds never exceeds them, and libfcgi's reads and writes have no other limit. Thread-safe.
// Outlives its Watches.
class Deadlines {
  public:
    // stuck: called with 1 for a worker that nothing has interrupted two seconds after its
    // deadline, and with -1 when it has ended after all; by any thread.
    Deadlines(std::chrono::seconds limit, std::function<void(int change)> stuck);

    // While it lives, the connection is shut down in both directions once the limit has passed;
    // whoever reads or writes it then fails at once. Holds a duplicate of the descriptor, which
    // libfcgi closes at a time of its own.
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
    std::jthread thread_;  // last: it uses all of the above
};

// Answers requests, as Service does; called by many threads at once, and must not throw.
struct Handler {
    std::function<Response(RequestLog& log)> answer;
    std::function<Response(const Refusal&, RequestLog& log)> refuse;
    std::function<void(const RequestLog& log, const Response&)> finish;
    std::function<void()> reload = [] {};  // on SIGHUP, by the main thread
    bool is_ready = true;                  // what the service manager is told
};

// Once per process, before any thread starts: SIGTERM, SIGINT, SIGUSR1 and SIGHUP stay pending
// until serve() takes them, SIGPIPE is ignored (libfcgi has handlers of its own for some of these).
void initialise();

// Serves with options.workers threads until SIGTERM, SIGINT or SIGUSR1, calls handler.reload for
// each SIGHUP, and keeps the service manager informed (base/sd_notify.h). Returns the exit code 0;
// ends the process with 1 if a request does not end in time, and with 0 if what its caller does
// afterwards takes more than two seconds. A worker that cannot be interrupted (libxml2, libxslt and
// PostgreSQL's library have loops without an end in sight) is left alone and its slot is lost; when
// a quarter of them are, the process finishes what else is in flight and starts its program anew,
// with the same process id and inherited socket. Throws std::system_error if it cannot start.
int serve(Listener& listener, const Config::Server& options, const Handler& handler);

}  // namespace oai::fcgi
