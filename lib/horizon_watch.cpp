// SPDX-License-Identifier: MIT
#include "horizon_watch.h"

#include <chrono>
#include <exception>

#include "base/log.h"
#include "error.h"

namespace oai {
namespace {

constexpr std::chrono::seconds kPatience{2};

}  // namespace

void LatestHorizon::remember(const Horizon& seen) {
    const std::lock_guard lock(mutex_);
    if (!horizon_ || seen.epoch != horizon_->epoch || seen.h >= horizon_->h) horizon_ = seen;
}

Horizon LatestHorizon::get() const {
    const auto horizon = seen();
    if (!horizon) throw Unavailable("the database has not been seen yet");
    return *horizon;
}

std::optional<Horizon> LatestHorizon::seen() const {
    const std::lock_guard lock(mutex_);
    return horizon_;
}

Reach LatestHorizon::reach() const {
    const std::lock_guard lock(mutex_);
    return horizon_ ? reach_of(*horizon_) : Reach{};
}

HorizonWatch::HorizonWatch(StoreOptions options, LatestHorizon& latest, Exclusions& exclusions)
    : store_(std::move(options)), latest_(latest), exclusions_(exclusions) {}

HorizonWatch::~HorizonWatch() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void HorizonWatch::start() {
    thread_ = std::thread([this] { run(); });
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return asked_; });
}

void HorizonWatch::ask_once() {
    latest_.remember(store_.horizon());
    exclusions_.refresh(store_);
}

void HorizonWatch::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        Sight sight = ask();
        lock.lock();
        sight_ = std::move(sight);
        asked_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, std::chrono::seconds{1}, [this] { return stopping_; });
    }
}

Sight HorizonWatch::ask() {
    Sight sight;
    try {
        try {
            ask_once();
        } catch (const Unavailable& e) {
            sight.unnumbered = e.what();
        }
        sight.queued = store_.queued();
    } catch (const std::exception& e) {
        sight.trouble = e.what();
    }
    tell(sight.trouble + sight.unnumbered);
    sight.asked = std::chrono::steady_clock::now();
    return sight;
}

void HorizonWatch::tell(const std::string& trouble) {
    const bool failing = !trouble.empty();
    if (failing && !failing_) log::error("horizon", {{"state", "not readable"}, {"why", trouble}});
    if (!failing && failing_) log::info("horizon", {{"state", "seen again"}});
    failing_ = failing;
}

Sight HorizonWatch::sight() const {
    std::unique_lock lock(mutex_);
    Sight sight = sight_;
    lock.unlock();
    sight.horizon = latest_.seen();
    return sight;
}

}  // namespace oai
