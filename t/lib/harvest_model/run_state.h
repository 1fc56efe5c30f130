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

#include "pg/retry.h"
#include "t/lib/wait.h"

namespace oai::harvest_model {

// The tables of a repository that its writers change, of each model that ships. An item has a
// number, which is the end of its identifier, and a version, which is the last part of its URL.
struct RepositoryModel {
    std::string formats;      // directory
    std::string items;        // table
    std::string url;          // its column with the version, by which rules choose (kView, kRule)
    std::string filed;        // table of items in collections
    std::string filed_item;   // its column with the id of the item
    std::string collections;  // table
    std::string kind;         // what an UPDATE of items sets to change the set of the media type
    std::string names;        // SQL that makes the names of sets
    // SQL of an INSERT; "from generate_series(...) i" follows, and i is the number and the id. The
    // version comes from one sequence for all, so that no two states of an item are equal.
    std::string insert;
};

// A view and a set by a rule, as conditions on the last digit of the version: each change of an
// item may bring it in or take it out.
inline constexpr const char *kView = "in ('0','2','4','6','8')", *kRule = "in ('1','2','3')";

inline const RepositoryModel kWebarchiv = {
    .formats = "xslt",
    .items = "webarchiv.doc",
    .url = "url",
    .filed = "webarchiv.doc_collection",
    .filed_item = "id_doc",
    .collections = "webarchiv.collection",
    .kind = "id_mimetype = (select id from webarchiv.mimetype where name = 'image:gif')",
    .names =
        "insert into webarchiv.domain (name) values ('cz:example:www'), ('cz:example:shop'); "
        "insert into webarchiv.mimetype (name) values ('text:html'), ('image:gif')",
    .insert =
        "insert into webarchiv.doc (id, archived_time, id_domain, id_mimetype, url, surt) select "
        "i, '2007-01-01', ((select array_agg(id) from webarchiv.domain where name like "
        "'cz:%:%'))[1 + i % 2], (select min(id) from webarchiv.mimetype where name = 'text:html'), "
        "'http://www.example.cz/' || i || '/' || nextval('control.version'), 'cz,example)/' || i",
};

inline const RepositoryModel kLibrary = {
    .formats = "xslt/library",
    .items = "library.item",
    .url = "landing_page",
    .filed = "library.item_collection",
    .filed_item = "id_item",
    .collections = "library.collection",
    .kind = "kind = 'map'",
    .names = "insert into library.kind (name) values ('book'), ('map')",
    .insert =
        "insert into library.item (id, local_id, title, kind, language, landing_page) select i, "
        "i::text, array['Item ' || i], 'book', array[(array['cs', 'en'])[1 + i % 2]], "
        "'http://www.example.cz/' || i || '/' || nextval('control.version')",
};

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
// passed. Lines on standard output: "pass|fail TAB name TAB what was found", "note TAB text", "lag
// TAB number TAB median TAB most".
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

// Whether publishers are being killed or the clock is being shifted. Lags (I3) are not measured
// meanwhile, nor for a few seconds afterwards.
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
    void add(double seconds) {
        const std::lock_guard lock(mutex_);
        lags_.push_back(seconds);
    }
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return lags_.size();
    }
    void print() {
        const std::lock_guard lock(mutex_);
        std::sort(lags_.begin(), lags_.end());
        if (lags_.empty()) return;
        std::printf("lag\t%zu\t%.2f\t%.2f\n", lags_.size(), lags_[lags_.size() / 2], lags_.back());
    }

  private:
    mutable std::mutex mutex_;
    std::vector<double> lags_;
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
    std::atomic<Stopwatch::time_point> end{Stopwatch::now()};  // when the writers stop

    double seconds_left() const {
        return std::chrono::duration<double>(end.load() - Stopwatch::now()).count();
    }
    // Sleeps for between a hundredth of the longest pause and all of it.
    void pause(RandomNumbers& random) const {
        test::pace(std::chrono::duration<double>(
            random.logarithmic(longest_pause_seconds / 100, longest_pause_seconds)));
    }
};

inline constexpr const char* kEveryThreadEnds = "every harvester and check runs to the end";

// Does the work, unless the store finds a table locked: a server would answer 503 then, and the
// harvester come again.
inline void unless_locked(RunState& state, const std::function<void()>& work) {
    try {
        work();
    } catch (const pg::Error& e) {
        if (!pg::is_lock_timeout(e)) throw;
        state.counts.add("answers 503");
    }
}

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
