// SPDX-License-Identifier: MIT
// The model of the promise that no harvester ever misses a record. Writers change a repository by
// plain SQL (writer.h) while harvesters poll it (harvester.h); afterwards the records that each
// harvester holds are compared with those of the repository (holdings.h). This file has the state
// that the threads of such a run share: findings, counts of what happened, and the records that
// harvesters have seen. Everything is thread-safe unless its comment says otherwise. Used by
// t/unit/server/incremental_harvest.cpp and t/fault/missed.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "t/lib/harvest_model/repository_model.h"

namespace oai::harvest_model {

using WallClock = std::chrono::system_clock;  // the harvesters' clock, which stays right even if
                                              // the server's clock is shifted
using Stopwatch = std::chrono::steady_clock;

inline double unix_seconds(WallClock::time_point t) {
    return std::chrono::duration<double>(t.time_since_epoch()).count();
}

// Random numbers of one thread, from a seed that the test prints.
class RandomNumbers {
  public:
    explicit RandomNumbers(unsigned seed) : engine_(seed) {}
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
    void add(const std::string& check, const std::string& what) {
        const std::lock_guard lock(mutex_);
        Found& found = found_[check];
        if (++found.times > kExamples) return;
        found.examples += (found.times > 1 ? "; " : "") + what;
        std::replace(found.examples.begin(), found.examples.end(), '\n', ' ');
    }
    void require(bool fine, const std::string& check, const std::string& what) {
        declare(check);
        if (!fine) add(check, what);
    }
    // The checks that failed, one per line with their first findings; empty if all passed.
    std::string failures() const {
        const std::lock_guard lock(mutex_);
        std::string out;
        for (const auto& [check, found] : found_)
            if (found.times > 0)
                out +=
                    check + ": " + std::to_string(found.times) + " times: " + found.examples + "\n";
        return out;
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

// The records that harvesters have seen, with their latest datestamps: from then on none of them
// may ever be absent (I5).
class SeenRecords {
  public:
    void add(std::int64_t id, std::int64_t datestamp) {
        const std::lock_guard lock(mutex_);
        const auto [it, is_new] = datestamps_.try_emplace(id, datestamp);
        if (is_new) ids_.push_back(id);
        it->second = std::max(it->second, datestamp);
    }
    // Returns false if nothing has been seen yet.
    bool pick(RandomNumbers& random, std::int64_t& id, std::int64_t& datestamp) const {
        const std::lock_guard lock(mutex_);
        if (ids_.empty()) return false;
        id = ids_[static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(ids_.size()) - 1))];
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
class Disturbance {
  public:
    void begin() { on_ = true; }
    void end() {
        ended_ = Stopwatch::now();
        on_ = false;
    }
    bool is_over() const {
        return !on_ && Stopwatch::now() - ended_.load() > std::chrono::seconds{4};
    }

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

// The state that the threads of a run share. The durations are set before the threads start.
struct RunState {
    explicit RunState(const RepositoryModel& written = kWebarchiv) : model(written) {}

    const RepositoryModel& model;
    Findings findings;
    Counts counts;
    Disturbance disturbance;
    Lags lags;
    std::atomic<bool> stop{false};     // set when the writers have stopped: harvesters stop, too
    double longest_seconds = 8;        // longest time that a transaction stays open
    double longest_pause_seconds = 1;  // of a thread between two rounds of its work
    Stopwatch::time_point end;         // when the writers stop

    double seconds_left() const {
        return std::chrono::duration<double>(end - Stopwatch::now()).count();
    }
    // Sleeps for between a hundredth of the longest pause and all of it.
    void pause(RandomNumbers& random) const {
        std::this_thread::sleep_for(std::chrono::duration<double>(
            random.logarithmic(longest_pause_seconds / 100, longest_pause_seconds)));
    }
};

inline constexpr const char* kEveryThreadEnds = "every harvester and check runs to the end";

// Runs the work in a new thread. An exception is a finding and does not end the run.
inline std::thread start_thread(RunState& state, std::function<void()> work) {
    return std::thread([&state, work = std::move(work)] {
        try {
            work();
        } catch (const std::exception& e) {
            state.findings.add(kEveryThreadEnds, e.what());
        }
    });
}

}  // namespace oai::harvest_model
