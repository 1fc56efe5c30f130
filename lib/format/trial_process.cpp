// SPDX-License-Identifier: MIT
#include "format/trial_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/text.h"

namespace oai {
namespace {

constexpr std::size_t kMaxDigests = 128;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPause{50};  // between two looks for a stop
constexpr std::size_t kMaxAnswer = 1U << 20U;

// Stores a value in the answer; returns false if it is none.
struct Take {
    TrialAnswer& answer;
    std::string_view value;

    bool operator()(std::string TrialAnswer::*member) const {
        answer.*member = value;
        return true;
    }
    template <class T>
    bool operator()(T TrialAnswer::*member) const {
        const auto number = text::to_integer(value);
        if (number) answer.*member = static_cast<T>(*number);
        return number.has_value();
    }
};

// Takes the lines that came whole. Returns false if one of them is none of ours.
bool read_answer(std::string_view lines, TrialAnswer& answer) {
    for (std::size_t end = 0; (end = lines.find('\n')) != lines.npos;
         lines.remove_prefix(end + 1)) {
        const std::string_view line = lines.substr(0, end);
        const std::size_t tab = std::min(line.find('\t'), line.size());
        const std::string_view value = line.substr(std::min(tab + 1, line.size()));
        const auto* field =
            std::find_if(std::begin(kTrialFields), std::end(kTrialFields),
                         [&](const TrialField& f) { return f.name == line.substr(0, tab); });
        if (line.substr(0, tab) == kFaultLine)
            answer.faults.emplace_back(value);
        else if (field == std::end(kTrialFields) || !std::visit(Take{answer, value}, field->member))
            return false;
    }
    return true;
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

// Whether a signal that ends the server waits until it serves (fcgi/serve.h).
bool is_stop_pending() {
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1 ||
           sigismember(&pending, SIGUSR1) == 1;
}

// Appends what the child writes until it ends. Returns false at the deadline. Throws TrialStopped.
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

// Why there is no whole answer, which is the fault of the stylesheet.
std::string why_late(const TrialAnswer& answer, std::chrono::seconds limit) {
    const std::string where = answer.prefix.empty() ? "to be compiled"
                              : !answer.has_run
                                  ? "for a record without columns"
                                  : fmt::format("for {} sample records, and was at those from {}",
                                                answer.samples, answer.at);
    return fmt::format(
        "takes longer than {} s {}; look for // within //, for recursion, and for functions over "
        "very long strings",
        limit.count(), where);
}

std::string why_dead(int status) {
    return fmt::format(
        "its trial was ended by SIG{}, for memory, time, depth or a fault of libxslt",
        ::sigabbrev_np(WTERMSIG(status)));
}

}  // namespace

void SampleDigests::add(std::int64_t seq, std::string_view metadata) {
    if (digests_.size() < kMaxDigests)
        digests_.emplace(seq, std::hash<std::string_view>()(metadata));
}

SampleDigests::Comparison SampleDigests::compare(const SampleDigests& before) const {
    Comparison out;
    for (const auto& [seq, digest] : digests_) {
        const auto found = before.digests_.find(seq);
        if (found == before.digests_.end()) continue;
        ++out.both;
        if (found->second != digest) ++out.different;
    }
    return out;
}

std::string SampleDigests::text() const {
    std::string out;
    for (const auto& [seq, digest] : digests_)
        out += fmt::format("{}{}:{:x}", out.empty() ? "" : " ", seq, digest);
    return out;
}

SampleDigests SampleDigests::parse(std::string_view text) {
    SampleDigests out;
    std::istringstream in{std::string(text)};
    std::int64_t seq = 0;
    std::uint64_t digest = 0;
    for (char colon = 0; in >> std::dec >> seq >> colon >> std::hex >> digest && colon == ':';)
        out.digests_.emplace(seq, digest);
    return out;
}

std::chrono::seconds trial_limit(int samples) {
    return std::chrono::seconds{5} * std::max(1, samples / 100);
}

TrialAnswer try_in_process(std::vector<std::string> command, std::chrono::seconds limit,
                           const std::function<bool()>& is_stopping) {
    const auto deadline = steady_clock::now() + limit;
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
    const bool is_ours = read_answer(text, answer) && text.size() <= kMaxAnswer;
    if (is_ours && answer.is_whole) return answer;
    const auto fault = [&](const std::string& why) {
        answer.faults = {fmt::format("{}:{}: {}", command.back(), answer.line, why)};
    };
    if (!is_ours)
        fault(fmt::format("its trial by {} gives an answer that cannot be read", command[0]));
    else if (!in_time && answer.has_run && answer.samples < 0)
        answer.untried = fmt::format("no sample records came within {} s", limit.count());
    else if (!in_time)
        fault(why_late(answer, limit));
    else if (WIFSIGNALED(status))
        fault(why_dead(status));
    else if (status == 0)
        fault("its trial gives half an answer");
    else
        answer.untried = fmt::format("its process ended with status {}", WEXITSTATUS(status));
    return answer;
}

}  // namespace oai
