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
    const std::lock_guard lock(mutex_);
    if (!horizon_) throw Unavailable("the database has not been seen yet");
    return *horizon_;
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
        ask_and_log();
        lock.lock();
        asked_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, std::chrono::seconds{1}, [this] { return stopping_; });
    }
}

void HorizonWatch::ask_and_log() {
    try {
        ask_once();
        if (failing_) log::info("horizon", {{"state", "seen again"}});
        failing_ = false;
    } catch (const std::exception& e) {
        if (!failing_) log::error("horizon", {{"state", "not readable"}, {"why", e.what()}});
        failing_ = true;
    }
}

}  // namespace oai
