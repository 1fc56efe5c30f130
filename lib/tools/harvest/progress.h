// SPDX-License-Identifier: MIT
// Prints the progress of one harvest: on a terminal one line that is rewritten, elsewhere a line
// every half a minute. Notes are printed on lines of their own.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "tools/harvest/sink.h"

namespace oai::harvest {

// "4200 of 100000 records, 210/s, 7:36 left". taken: records of this run, in the last `seconds`.
// Without a list size the text ends with the speed.
std::string progress_text(const ListPosition& position, std::int64_t taken, double seconds);

class HarvestProgress final : public HarvestListener {
  public:
    using Time = std::chrono::steady_clock::time_point;
    enum class Style {
        notes,      // notes only, no progress
        lines,      // a line every half a minute
        rewritten,  // one line on a terminal
    };
    // should_stop() calls `stop`. Each line begins with `name`. Control characters in what a
    // repository sent are not printed.
    HarvestProgress(std::FILE* to, Style style, std::string name, std::function<bool()> stop)
        : to_(to), style_(style), name_(std::move(name)), stop_(std::move(stop)) {}
    ~HarvestProgress() override { erase_line(); }
    HarvestProgress(const HarvestProgress&) = delete;
    HarvestProgress& operator=(const HarvestProgress&) = delete;

    void on_page(const ListPosition& position) override {
        print(position, std::chrono::steady_clock::now());
    }
    void note(const std::string& what) override;
    bool should_stop() const override { return stop_(); }

    // Prints a line if it is time for one.
    void print(const ListPosition& position, Time now);
    // Erases the line on the terminal, if there is one.
    void erase_line();

  private:
    std::FILE* to_;
    Style style_;
    bool on_screen_ = false;
    std::string name_;
    std::function<bool()> stop_;
    std::optional<ListSelection> list_;  // the list that the following members are about
    std::int64_t records_before_ = 0;    // its record count when this run began to measure
    Time begun_{}, next_{};
};

}  // namespace oai::harvest
