// SPDX-License-Identifier: MIT
#include "fcgi/serve.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/sd_notify.h"
#include "base/text.h"
#include "base/version.h"
#include "fcgi/connection.h"
#include "fcgi/request_reader.h"

namespace oai::fcgi {
namespace {

// A web server that restarts its workers may open many connections at once; with a backlog of 8,
// nginx answered 502.
constexpr int kBacklog = 511;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error("[server] socket " + path + ": " + why);
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        refuse(path, "longer than the " + std::to_string(sizeof address.sun_path - 1) +
                         " bytes a socket may have");
    path.copy(address.sun_path, path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address) {
    return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

Fd unix_socket() {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) throw std::runtime_error(std::string("socket: ") + std::strerror(errno));
    return fd;
}

// Removes the socket of a process that was killed. Refuses if a server still listens on it, which
// would become unreachable.
void remove_stale(const std::string& path, const sockaddr_un& address) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return;
        refuse(path, std::strerror(errno));
    }
    if (!S_ISSOCK(found.st_mode))
        refuse(path, "exists and is no socket; remove it or choose another name");
    const Fd probe = unix_socket();
    if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno == EAGAIN)
        refuse(path, "another server is listening on it");
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) refuse(path, std::strerror(errno));
}

// Returns descriptor 3 if systemd passes a socket to this process (sd_listen_fds(3)), else
// descriptor 0, which is the convention of FastCGI, spawn-fcgi and mod_fcgid.
Fd inherited_socket() {
    constexpr int kFirstOfSystemd = 3;
    const auto number = [](const char* name) {
        const char* value = std::getenv(name);
        return text::to_integer(value == nullptr ? "" : value);
    };
    const bool by_systemd = number("LISTEN_PID") == ::getpid();
    if (by_systemd && number("LISTEN_FDS") != 1)
        throw std::runtime_error("systemd: the server listens on one socket, not on several");
    Fd fd(by_systemd ? kFirstOfSystemd : STDIN_FILENO);
    const std::string name = "file descriptor " + std::to_string(fd.get());
    int listening = 0;
    socklen_t size = sizeof listening;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0)
        throw std::runtime_error(
            "[server] socket is empty, but " + name +
            " is no listening socket: name a socket, or start by systemd or spawn-fcgi");
    const int flags = ::fcntl(fd.get(), F_GETFL);
    if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0 ||
        ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0)
        throw std::runtime_error(name + ": " + std::strerror(errno));
    return fd;
}

constexpr std::chrono::seconds kGrace{2};  // for cleaning up after a deadline
constexpr std::chrono::seconds kCheckInterval{1};

sigset_t handled_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) sigaddset(&set, signal);
    return set;
}

std::variant<Request, Refusal> read_all(Connection& connection, const CgiVariables& cgi,
                                        std::size_t limit) {
    const auto length = body_length(cgi, limit);
    if (const auto* refusal = std::get_if<Refusal>(&length)) return *refusal;
    return read_request(cgi, connection.read_body(std::get<std::size_t>(length)));
}

// Returns false if the web server did not receive the whole response. The body is left out for
// HEAD, since nginx would drop it by closing the connection, which looks like a failure.
bool send(Connection& connection, const Response& response) try {
    const bool head = connection.variable("REQUEST_METHOD") == "HEAD";
    return connection.send({cgi_head(response), head ? std::string_view() : response.body});
} catch (const std::exception& fault) {
    log::error("connection_lost", {{"reason", fault.what()}});
    return false;
}

// The worker threads.
class Server {
  public:
    // The listener must outlive the server.
    Server(Listener& listener, const Config::Server& options, const Handler& handler);
    ~Server() { stop(); }  // joins the workers
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Starts options.workers threads. Throws std::system_error.
    void start();
    // Makes the workers end after the requests in flight, and after those in the queue of the
    // socket if the listener owns it.
    void stop();
    // Waits until the workers that are not stuck have ended. Returns whether all have.
    bool wait_for_workers(std::chrono::seconds timeout);
    bool too_many_stuck() const { return too_many_stuck_; }

  private:
    void work();
    void handle(ReceivedRequest received);
    void count_stuck(int change);

    Listener& listener_;
    const Config::Server& options_;
    const Handler& handler_;
    RequestReader reader_;
    std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0, stuck_ = 0;
    std::atomic<bool> too_many_stuck_ = false;  // too many are stuck
    Deadlines deadlines_;
    std::vector<std::jthread> workers_;
};

Server::Server(Listener& listener, const Config::Server& options, const Handler& handler)
    : listener_(listener),
      options_(options),
      handler_(handler),
      reader_(listener.fd(), options),
      running_(options.workers),
      deadlines_(std::chrono::seconds(options.request_seconds),
                 [this](int change) { count_stuck(change); }) {}

void Server::start() {
    for (int i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { work(); });
}

void Server::stop() {
    listener_.withdraw();
    reader_.stop(listener_.owned());
}

bool Server::wait_for_workers(std::chrono::seconds timeout) {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, timeout, [this] { return running_ <= stuck_; });
    return running_ == 0;
}

void Server::count_stuck(int change) {
    const std::lock_guard lock(mutex_);
    stuck_ += change;
    ended_.notify_all();
    if (change < 0) return;
    log::error("worker_stuck", {{"stuck", stuck_},
                                {"workers", options_.workers},
                                {"request_seconds", options_.request_seconds},
                                {"hint",
                                 "its log line has not been written: the web server's "
                                 "has the request that was answered 504"}});
    if (stuck_ < std::max(1, options_.workers / 4) || too_many_stuck_.exchange(true)) return;
    ::kill(::getpid(), SIGTERM);  // ends serve()'s wait
}

void Server::work() {
    while (auto received = reader_.next()) handle(*std::move(received));
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
}

// Builds the whole response before sending the first byte, so that a failure becomes a 500 and
// never a truncated document.
void Server::handle(ReceivedRequest received) try {
    const Deadlines::Watch watch(deadlines_, received.connection.get());
    timeval limit{};  // without which the kernel lets a write wait for ever
    limit.tv_sec = options_.idle_seconds;
    if (::setsockopt(received.connection.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0)
        throw std::system_error(errno, std::generic_category(), "setsockopt");
    Connection connection(std::move(received));
    if (!connection.receive()) return log::info("request_refused", {{"why", "libfcgi"}});
    const CgiVariables cgi = [&](std::string_view name) { return connection.variable(name); };
    const auto request =
        read_all(connection, cgi, static_cast<std::size_t>(options_.post_limit_bytes));
    const auto* refusal = std::get_if<Refusal>(&request);
    const Request refused = refusal == nullptr ? Request{} : read_head(cgi);
    RequestLog log{refusal == nullptr ? std::get<Request>(request) : refused};
    const Response response =
        refusal == nullptr ? handler_.answer(log) : handler_.refuse(*refusal, log);
    log.sent = measure(log.write, [&] { return send(connection, response); });
    if (!log.sent)
        log::info("client_gone", {{"client", cgi("REMOTE_ADDR")},
                                  {"deadline", watch.expired() ? "passed" : "kept"}});
    handler_.finish(log, response);
} catch (const std::exception& fault) {
    // Out of memory or descriptors: only this connection is lost; the worker goes on.
    log::error("connection_lost", {{"reason", fault.what()}});
}

// Sleeps until SIGTERM, SIGINT or SIGUSR1 and returns its number; calls reload for each SIGHUP.
int wait_for_stop(const std::function<void()>& reload) {
    const sigset_t signals = handled_signals();
    for (;;) {
        int signal = 0;
        if (::sigwait(&signals, &signal) != 0) continue;
        if (signal != SIGHUP) return signal;
        log::info("reload", {{"signal", "HUP"}});
        notify_manager("RELOADING=1");
        reload();
        notify_manager("READY=1");
    }
}

// Executes the program again in this process, which ends the workers that are stuck.
[[noreturn]] void restart_program(const Listener& listener) {
    log::warning("starting_anew", {{"why", "too many workers are stuck"}});
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (!listener.owned()) ::fcntl(listener.fd(), F_SETFD, 0);
    ::execv("/proc/self/exe", arguments.data());
    log::error("starting_anew", {{"errno", errno}});
    std::_Exit(1);
}

}  // namespace

Listener::Listener(const std::string& path) : path_(path) {
    if (owned())
        bind_to_path();
    else
        fd_ = inherited_socket();
}

void Listener::bind_to_path() {
    const sockaddr_un address = address_of(path_);
    remove_stale(path_, address);
    fd_ = unix_socket();
    const mode_t before =
        ::umask(0117);  // 0660 from its first moment: only the web server may connect
    const int bound = ::bind(fd_.get(), generic(address), sizeof address);
    const int reason = errno;
    ::umask(before);
    if (bound != 0) refuse(path_, std::strerror(reason));
    struct stat created {};
    if (::listen(fd_.get(), kBacklog) != 0 || ::stat(path_.c_str(), &created) != 0)
        refuse(path_, std::strerror(errno));
    device_ = created.st_dev;
    inode_ = created.st_ino;
}

void Listener::withdraw() noexcept {
    struct stat found {};
    if (inode_ != 0 && ::lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_ &&
        found.st_dev == device_)
        ::unlink(path_.c_str());
    inode_ = 0;
}

using std::chrono::steady_clock;

Deadlines::Deadlines(std::chrono::seconds limit, std::function<void(int change)> stuck)
    : limit_(limit),
      stuck_(std::move(stuck)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

// Checks every request in flight once a second; there are at most as many as workers.
void Deadlines::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        const auto now = steady_clock::now();
        for (Watch* const watch : watches_) {
            if (watch->until_ > now) continue;
            if (!std::exchange(watch->expired_, true)) {
                ::shutdown(watch->fd_.get(), SHUT_RDWR);
                watch->until_ = now + kGrace;
            } else if (!std::exchange(watch->stuck_, true)) {
                stuck_(1);
            }
        }
        changed_.wait_for(lock, stop, kCheckInterval, [] { return false; });
    }
}

Deadlines::Watch::Watch(Deadlines& deadlines, int fd)
    : deadlines_(deadlines), fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {
    if (!fd_)
        throw std::system_error(errno, std::generic_category(),
                                "no descriptor left to watch a request");
    const std::lock_guard lock(deadlines_.mutex_);
    until_ = steady_clock::now() + deadlines_.limit_;
    deadlines_.watches_.insert(this);
}

Deadlines::Watch::~Watch() {
    const std::lock_guard lock(deadlines_.mutex_);
    deadlines_.watches_.erase(this);
    if (stuck_) deadlines_.stuck_(-1);
}

bool Deadlines::Watch::expired() const {
    const std::lock_guard lock(deadlines_.mutex_);
    return expired_;
}

void initialise() {
    sigset_t signals = handled_signals();
    // A process that ends while the thread that starts it blocks all signals (posix_spawn) would
    // interrupt another thread, and a read with a timeout is not restarted.
    sigaddset(&signals, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    FCGX_Init();
    std::signal(SIGPIPE, SIG_IGN);  // after FCGX_Init, which sets a handler
}

int serve(Listener& listener, const Config::Server& options, const Handler& handler) {
    Server server(listener, options, handler);
    server.start();
    log::info("serving", {{"socket", options.socket.empty() ? "inherited" : options.socket},
                          {"workers", options.workers},
                          {"version", version() + " " + source_commit()}});
    if (handler.is_ready) notify_manager("READY=1");
    const int signal = wait_for_stop(handler.reload);
    const bool too_many_stuck = server.too_many_stuck();
    notify_manager(too_many_stuck ? "RELOADING=1" : "STOPPING=1");
    log::info("stopping", {{"signal", ::sigabbrev_np(signal)}});
    server.stop();
    const bool ended = server.wait_for_workers(std::chrono::seconds(options.request_seconds));
    if (too_many_stuck) restart_program(listener);
    if (ended) {
        // Ends the process even if destructors wait for a database that hangs.
        std::thread([] {
            std::this_thread::sleep_for(kGrace);
            std::_Exit(0);
        }).detach();
        return 0;
    }
    log::error("stopped_in_flight", {{"seconds", options.request_seconds}});
    std::_Exit(1);  // joining a worker that is stuck would never end
}

}  // namespace oai::fcgi
