// SPDX-License-Identifier: MIT
// What the threads of a run share: findings, counts of what happened, and the records that
// harvesters have seen. All of it is thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace oai::fault {

using WallClock = std::chrono::system_clock;  // the harvesters' clock, which stays right even if
                                              // the server's clock is shifted
using Stopwatch = std::chrono::steady_clock;

inline double unix_seconds(WallClock::time_point t) {
    return std::chrono::duration<double>(t.time_since_epoch()).count();
}

// Random numbers of one thread, from a seed that the test prints.
class Dice {
  public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
    }
    bool one_in(int n) { return between(1, n) == 1; }
    // A time whose logarithm is distributed evenly: short ones are as frequent as long ones.
    double logarithmic(double least, double most) {
        return least * std::pow(most / least, std::uniform_real_distribution<>(0, 1)(engine_));
    }

  private:
    std::mt19937_64 engine_;
};

// Every check is declared before anything runs, so that a check without findings is reported as
// passed. Lines on standard output: "pass|fail TAB name TAB what was found", "note TAB text", "late
// TAB unix time TAB seconds".
class Findings {
  public:
    void declare(const std::string& check) {
        const std::lock_guard lock(mutex_);
        found_[check];
    }
    void wrong(const std::string& check, const std::string& what) {
        const std::lock_guard lock(mutex_);
        Found& found = found_[check];
        if (++found.times > kExamples) return;
        found.examples += (found.times > 1 ? "; " : "") + what;
        std::replace(found.examples.begin(), found.examples.end(), '\n', ' ');
    }
    void require(bool fine, const std::string& check, const std::string& what) {
        declare(check);
        if (!fine) wrong(check, what);
    }
    bool print() const {
        const std::lock_guard lock(mutex_);
        bool fine = true;
        for (const auto& [check, found] : found_) {
            if (found.times == 0)
                std::printf("pass\t%s\t\n", check.c_str());
            else
                std::printf("fail\t%s\t%d times: %s\n", check.c_str(), found.times,
                            found.examples.c_str());
            fine = fine && found.times == 0;
        }
        return fine;
    }
    static void note(const std::string& text) {
        std::printf("note\t%s\n", text.c_str());
        std::fflush(stdout);
    }

  private:
    static constexpr int kExamples = 5;
    struct Found {
        int times = 0;
        std::string examples;
    };
    mutable std::mutex mutex_;
    std::map<std::string, Found> found_;
};

// Counts events by kind, because a run in which too little happened proves nothing.
class Counts {
  public:
    void add(const std::string& what, long n = 1) {
        const std::lock_guard lock(mutex_);
        counts_[what] += n;
    }
    long of(const std::string& what) const {
        const std::lock_guard lock(mutex_);
        const auto it = counts_.find(what);
        return it == counts_.end() ? 0 : it->second;
    }
    std::string text() const {
        const std::lock_guard lock(mutex_);
        std::string out;
        for (const auto& [what, n] : counts_)
            out += (out.empty() ? "" : ", ") + what + " " + std::to_string(n);
        return out;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, long> counts_;
};

// Which records have been seen, with the latest datestamp: from then on none of them may ever be
// absent (I5).
class SeenBoard {
  public:
    void note(std::int64_t id, std::int64_t datestamp) {
        const std::lock_guard lock(mutex_);
        const auto [it, fresh] = datestamps_.try_emplace(id, datestamp);
        if (fresh) ids_.push_back(id);
        it->second = std::max(it->second, datestamp);
    }
    // Returns false if nothing has been seen yet.
    bool pick(Dice& dice, std::int64_t& id, std::int64_t& datestamp) const {
        const std::lock_guard lock(mutex_);
        if (ids_.empty()) return false;
        id = ids_[static_cast<std::size_t>(
            dice.between(0, static_cast<std::int64_t>(ids_.size()) - 1))];
        datestamp = datestamps_.at(id);
        return true;
    }
    std::vector<std::int64_t> all() const {
        const std::lock_guard lock(mutex_);
        return ids_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::int64_t> ids_;
    std::unordered_map<std::int64_t, std::int64_t> datestamps_;
};

// Whether publishers are being killed or the clock is being shifted. The guarantee for a healthy
// publisher (I3) is not checked meanwhile, nor for a few seconds afterwards.
class Trouble {
  public:
    void begin() { on_ = true; }
    void end() {
        ended_ = Stopwatch::now();
        on_ = false;
    }
    bool calm() const { return !on_ && Stopwatch::now() - ended_.load() > std::chrono::seconds{4}; }

  private:
    std::atomic<bool> on_{true};
    std::atomic<Stopwatch::time_point> ended_{Stopwatch::now()};
};

// How many seconds responseDate is behind the harvester's clock (I3) while nothing is disturbed.
class Lags {
  public:
    void add(double seconds, WallClock::time_point when) {
        const std::lock_guard lock(mutex_);
        lags_.push_back(seconds);
        if (seconds > 3) late_.emplace_back(unix_seconds(when), seconds);
    }
    void print() {
        const std::lock_guard lock(mutex_);
        std::sort(lags_.begin(), lags_.end());
        if (lags_.empty()) return;
        std::printf("lag\t%zu\t%.2f\t%.2f\n", lags_.size(), lags_[lags_.size() / 2], lags_.back());
        for (const auto& [when, seconds] : late_) std::printf("late\t%.3f\t%.2f\n", when, seconds);
    }

  private:
    std::mutex mutex_;
    std::vector<double> lags_;
    std::vector<std::pair<double, double>> late_;
};

// The state that the threads of a run share.
struct Fire {
    Findings findings;
    Counts counts;
    Trouble trouble;
    Lags lags;
    std::atomic<bool> out{false};  // the writers have stopped, and the harvesters may stop
    double longest_seconds = 8;    // longest time that a transaction stays open
    Stopwatch::time_point end;

    double seconds_left() const {
        return std::chrono::duration<double>(end - Stopwatch::now()).count();
    }
    // Sleeps for 10 to 1000 ms.
    static void pause(Dice& dice) {
        std::this_thread::sleep_for(
            std::chrono::milliseconds{static_cast<int>(dice.logarithmic(10, 1000))});
    }
};

}  // namespace oai::fault
