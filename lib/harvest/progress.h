// SPDX-License-Identifier: MIT
// What a person sees of one harvest: on a terminal one line that is rewritten, elsewhere a line now and then; notes
// between them as lines of their own.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "harvest/listener.h"

namespace oai::harvest {

// "4200 of 100000 records, 210/s, 7:36 left"; taken: since `seconds` ago, by this run. Without a size no more than that.
std::string progress_text(const Position& position, std::int64_t taken, double seconds);

class Progress final : public Listener {
  public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Shown {
        notes,      // no progress
        lines,      // a line every half a minute
        rewritten,  // one line on a terminal
    };
    // `stop` is asked by stop(). Lines begin with the name, and control characters of a repository do not reach `to`.
    Progress(std::FILE* to, Shown shown, std::string name, std::function<bool()> stop)
        : to_(to), shown_(shown), name_(std::move(name)), stop_(std::move(stop)) {}
    ~Progress() override { wipe(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void at(const Position& position) override { step(position, std::chrono::steady_clock::now()); }
    void note(const std::string& what) override;
    bool stop() const override { return stop_(); }

    void step(const Position& position, Time now);
    void wipe();

  private:
    std::FILE* to_;
    Shown shown_;
    bool on_screen_ = false;
    std::string name_;
    std::function<bool()> stop_;
    std::optional<List> list_;  // that begun_ and before_ are of
    std::int64_t before_ = 0;   // records of it, when this run came to it
    Time begun_{}, next_{};
};

}  // namespace oai::harvest
