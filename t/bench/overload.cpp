// SPDX-License-Identifier: MIT
// Clients that request one page from a FastCGI server over and over, each request on a connection
// of its own, and go on after a 503.
//   overload --socket PATH --uri /oai?verb=... --clients N --seconds N [--rate N]
// --rate: requests per second of all clients together; 0: each client sends the next request as
// soon as it has its answer. Prints one line: pages served and their records, 503 answers (with a
// Retry-After in whole seconds), all other answers, the longest time that a 503 took, and the rate
// of requests sent.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "command/fastcgi_client.h"

namespace {

using namespace oai;
using Clock = std::chrono::steady_clock;
using std::chrono::duration;

struct Options {
    std::string socket, uri;
    int clients = 1, seconds = 1, rate = 0;
};

struct Tally {
    std::int64_t served = 0, records = 0, busy = 0, other = 0;
    double longest_busy = 0;
    std::string first_other{};

    void add(const Tally& t) {
        served += t.served;
        records += t.records;
        busy += t.busy;
        other += t.other;
        longest_busy = std::max(longest_busy, t.longest_busy);
        if (first_other.empty()) first_other = t.first_other;
    }
};

std::int64_t count(std::string_view text, std::string_view word) {
    std::int64_t n = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + word.size()))
        ++n;
    return n;
}

bool has_retry_after(std::string_view answer) {
    constexpr std::string_view kName = "\r\nRetry-After: ";
    const std::size_t at = answer.find(kName);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = answer.substr(at + kName.size());
    return text::to_integer(rest.substr(0, rest.find('\r'))).value_or(0) > 0;
}

void judge(std::string_view answer, double took_seconds, Tally& tally) {
    if (answer.starts_with("Status: 200") && answer.ends_with("</OAI-PMH>\n")) {
        ++tally.served;
        tally.records += count(answer, "<header");
    } else if (answer.starts_with("Status: 503") && has_retry_after(answer)) {
        ++tally.busy;
        tally.longest_busy = std::max(tally.longest_busy, took_seconds);
    } else {
        ++tally.other;
        if (tally.first_other.empty()) tally.first_other = answer.substr(0, 200);
    }
}

class Load {
  public:
    explicit Load(const Options& options)
        : options_(options), end_(begin_ + std::chrono::seconds(options.seconds)) {}

    Tally run() {
        {
            std::vector<std::jthread> clients;
            for (int i = 0; i < options_.clients; ++i)
                clients.emplace_back([this] { ask_until_the_end(); });
        }
        return total_;
    }

  private:
    // Returns false if the time is over.
    bool wait_for_turn() {
        if (options_.rate > 0)
            std::this_thread::sleep_until(
                begin_ + duration_cast<Clock::duration>(
                             duration<double>(static_cast<double>(next_++) / options_.rate)));
        return Clock::now() < end_;
    }
    void ask_until_the_end() {
        Tally tally;
        while (wait_for_turn()) {
            const auto asked = Clock::now();
            std::string answer;
            try {
                answer = command::get_with_header_by_fastcgi(options_.socket, options_.uri);
            } catch (const std::exception& e) {
                answer = e.what();
            }
            judge(answer, duration<double>(Clock::now() - asked).count(), tally);
        }
        const std::lock_guard lock(mutex_);
        total_.add(tally);
    }

    const Options options_;
    const Clock::time_point begin_ = Clock::now();
    const Clock::time_point end_;
    std::atomic<std::int64_t> next_ = 0;
    std::mutex mutex_;
    Tally total_;
};

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    const std::map<std::string_view, int*> numbers{{"--clients", &options.clients},
                                                   {"--seconds", &options.seconds},
                                                   {"--rate", &options.rate}};
    const std::map<std::string_view, std::string*> words{{"--socket", &options.socket},
                                                         {"--uri", &options.uri}};
    for (int i = 1; i + 1 < argc; i += 2)
        if (const auto word = words.find(argv[i]); word != words.end())
            *word->second = argv[i + 1];
        else
            *numbers.at(argv[i]) = std::stoi(argv[i + 1]);
    const auto begin = Clock::now();
    const Tally tally = Load(options).run();
    const double took = duration<double>(Clock::now() - begin).count();
    const auto all = static_cast<double>(tally.served + tally.busy + tally.other);
    fmt::print(
        "served={} records={} busy={} other={} longest_busy_ms={:.0f} seconds={:.2f} "
        "asked_a_second={:.0f}\n",
        tally.served, tally.records, tally.busy, tally.other, 1000 * tally.longest_busy, took,
        all / took);
    if (!tally.first_other.empty())
        fmt::print(stderr, "overload: another answer: {}\n", tally.first_other);
    return 0;
} catch (const std::exception& error) {
    std::cerr << "overload: " << error.what() << '\n';
    return 1;
}
