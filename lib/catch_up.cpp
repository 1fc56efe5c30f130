// SPDX-License-Identifier: MIT
#include "catch_up.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "reach.h"

namespace oai {
namespace {

using Stopwatch = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{50};
// Replicas are left alone for so long after one of them has let a request down.
constexpr std::chrono::seconds kDistrust{30};

// Counts a waiting request while it lives.
class Place {
  public:
    explicit Place(std::atomic<int>& waiting) : waiting_(waiting), number_(++waiting) {}
    ~Place() { --waiting_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    int number() const { return number_; }

  private:
    std::atomic<int>& waiting_;
    const int number_;
};

std::optional<VerbResult> unless_behind(const std::function<VerbResult()>& ask) {
    try {
        return ask();
    } catch (const Behind&) {
        return std::nullopt;
    }
}

}  // namespace

CatchUp::CatchUp(pg::Pool& pool, std::chrono::milliseconds max_wait, int most_waiting)
    : pool_(pool), max_wait_(max_wait), most_waiting_(most_waiting) {}

VerbResult CatchUp::operator()(const std::function<VerbResult()>& ask) {
    if (auto result = unless_behind(ask)) return *std::move(result);
    const Place place(waiting_);
    const auto until = Stopwatch::now() + (place.number() > most_waiting_ ? std::chrono::milliseconds{0} : max_wait_);
    for (auto now = Stopwatch::now(); now < until; now = Stopwatch::now()) {
        std::this_thread::sleep_for(std::min<Stopwatch::duration>(kPause, until - now));
        if (auto result = unless_behind(ask)) return *std::move(result);
    }
    pool_.distrust_replicas(kDistrust);
    return ask();
}

}  // namespace oai
