// SPDX-License-Identifier: MIT
#include "format/trial_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/fd.h"

namespace oai {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrialAnswer, prefix, line, has_run, step, untried, records,
                                   failed, first_failure, faults, spent_microseconds, differs,
                                   schema_file, schema_problem, is_whole)

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause{50};  // between two checks for a stop
constexpr int kWaiting = 4;         // times the processor limit, to allow for waiting
constexpr std::size_t kMaxAnswer = 1U << 20U;

// Parses the last complete line; an empty answer if there is none. Throws
// nlohmann::json::exception.
TrialAnswer last_answer(std::string_view lines) {
    lines = lines.substr(0, lines.rfind('\n') + 1);
    if (lines.empty()) return {};
    lines.remove_suffix(1);
    return nlohmann::json::parse(lines.substr(lines.rfind('\n') + 1)).get<TrialAnswer>();
}

// A process whose standard output is read. Killed at the latest when this is destroyed.
class Child {
  public:
    explicit Child(std::vector<std::string>& command);  // throws std::system_error
    ~Child() { end(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    const Fd& output() const { return output_; }
    int end();  // kills it if it has not ended; returns its status as waitpid() does

  private:
    Fd output_;
    pid_t pid_ = 0;
};

// posix_spawn() copies neither the memory of the server nor a lock that another thread holds.
Child::Child(std::vector<std::string>& command) {
    int ends[2];
    const auto check = [](int error, const char* what) {
        if (error != 0) throw std::system_error(error, std::generic_category(), what);
    };
    check(::pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno, "pipe2");
    output_ = Fd(ends[0]);
    const Fd input(ends[1]);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    check(::posix_spawn_file_actions_init(&files), "posix_spawn");
    ::posix_spawn_file_actions_adddup2(&files, input.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const int error =
        ::posix_spawn(&pid_, arguments[0], &files, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) pid_ = 0;
    check(error, arguments[0]);
}

int Child::end() {
    int status = 0;
    if (pid_ <= 0) return status;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
    return status;
}

// Whether a blocked signal that ends the server is pending (fcgi/serve.h).
bool is_stop_pending() {
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1 ||
           sigismember(&pending, SIGUSR1) == 1;
}

// Appends the child's output until it ends; false at the deadline. Throws TrialStopped.
bool read_all(const Fd& output, std::string& text, steady_clock::time_point deadline,
              const std::function<bool()>& is_stopping) {
    std::string piece(8192, '\0');
    while (text.size() <= kMaxAnswer) {
        if (is_stopping() || is_stop_pending()) throw TrialStopped();
        if (steady_clock::now() > deadline) return false;
        pollfd waiting{output.get(), POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(kPause.count())) <= 0) continue;
        const ssize_t n = ::read(output.get(), piece.data(), piece.size());
        if (n == 0 || (n < 0 && errno != EINTR)) return true;
        text.append(piece, 0, static_cast<std::size_t>(std::max(n, ssize_t{0})));
    }
    return true;
}

std::string why_dead(int status) {
    return fmt::format(
        "its trial was ended by SIG{}, for memory, time, depth or a fault of libxslt",
        ::sigabbrev_np(WTERMSIG(status)));
}

}  // namespace

std::string line_of(const TrialAnswer& answer) {
    using nlohmann::json;
    return json(answer).dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

std::chrono::seconds trial_limit(int samples) {
    return std::chrono::seconds{5} * std::max(1, samples / 100);
}

TrialAnswer try_in_process(std::vector<std::string> command, std::chrono::seconds limit,
                           const std::function<bool()>& is_stopping) {
    const auto deadline = steady_clock::now() + kWaiting * limit;
    TrialAnswer answer;
    std::string text;
    bool in_time = true;
    int status = 0;
    try {
        Child child(command);
        in_time = read_all(child.output(), text, deadline, is_stopping);
        status = child.end();
    } catch (const std::system_error& e) {
        answer.untried = fmt::format("no process can be started for it: {}", e.what());
        return answer;
    }
    const auto fault = [&](const std::string& why) {
        answer.faults = {fmt::format("{}:{}: {}", command.back(), answer.line, why)};
    };
    try {
        answer = last_answer(text);
    } catch (const nlohmann::json::exception&) {
        fault(fmt::format("its trial by {} gives an answer that cannot be read", command[0]));
        return answer;
    }
    if (text.size() > kMaxAnswer) {
        fault("its trial gives an answer of more than a megabyte");
        return answer;
    }
    if (answer.is_whole) return answer;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) in_time = false;
    if (!in_time && answer.step.empty())
        answer.untried =
            fmt::format("no sample records came within {} s", kWaiting * limit.count());
    else if (!in_time)
        fault(fmt::format(
            "takes longer than {} s {}; look for // within //, for recursion, and for functions "
            "over very long strings",
            limit.count(), answer.step));
    else if (WIFSIGNALED(status))
        fault(why_dead(status));
    else if (status == 0)
        fault("its trial gives half an answer");
    else
        answer.untried = fmt::format("its process ended with status {}", WEXITSTATUS(status));
    return answer;
}

}  // namespace oai
