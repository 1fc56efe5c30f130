// SPDX-License-Identifier: MIT
// Where the time comes from. Code that answers requests never asks the system for the time: it is
// given a Clock, so that answers are reproducible in tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace oai {

using Seconds = std::chrono::sys_seconds;  // UTC; OAI-PMH datestamps have no fractions (3.3)

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Seconds now() const = 0;
};

class SystemClock final : public Clock {
  public:
    Seconds now() const override {
        return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    }
};

// For tests.
class FixedClock final : public Clock {
  public:
    explicit FixedClock(Seconds now) : now_(now) {}
    Seconds now() const override { return now_; }

  private:
    Seconds now_;
};

// Calendar times in UTC, to the second, in years 0001-9999: checked, read and printed. Leap seconds
// are refused. Pure.

struct CalendarTime {
    int year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

// nullopt if there is no such day or time of day.
std::optional<Seconds> to_seconds(const CalendarTime& t);

// Exactly `count` decimal digits from s[at] on; nullopt if there are fewer or other characters.
std::optional<int> digits_at(std::string_view s, std::size_t at, std::size_t count);

// YYYY-MM-DD: its first second. Nothing else is read.
std::optional<Seconds> parse_utc_day(std::string_view s);
// YYYY-MM-DDThh:mm:ssZ, nothing else.
std::optional<Seconds> parse_utc(std::string_view s);

// YYYY-MM-DDThh:mm:ssZ. A time outside the years 0001-9999, for which there is no such form, is
// printed as the nearest one inside.
std::string print_utc(Seconds t);
inline constexpr std::size_t kUtcBytes = 20;
char* put_utc(char* at, Seconds t);  // writes kUtcBytes bytes and returns their end

// Calls `work`, adds its duration to `sum` even if it throws, and returns its result.
template <class Work>
auto measure(std::chrono::nanoseconds& sum, Work&& work) {
    struct Timer {
        std::chrono::nanoseconds& sum;
        const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
        ~Timer() { sum += std::chrono::steady_clock::now() - began; }
    };
    const Timer timer{sum};
    return std::forward<Work>(work)();
}

}  // namespace oai
