// SPDX-License-Identifier: MIT
#include "store/horizon_watch.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"
#include "protocol/error.h"

namespace oai {
namespace {

constexpr std::chrono::seconds kFirstAnswerTimeout{2};

}  // namespace

void LatestHorizon::remember(const Horizon& horizon) {
    const std::lock_guard lock(mutex_);
    const bool same_epoch = horizon_ && horizon.epoch == horizon_->epoch;
    const auto earliest = horizon.earliest || !same_epoch ? horizon.earliest : horizon_->earliest;
    if (!same_epoch || horizon.h >= horizon_->h || horizon.last_seq > horizon_->last_seq)
        horizon_ = horizon;
    horizon_->earliest = earliest;
}

Horizon LatestHorizon::get() const {
    const auto horizon = get_if_any();
    if (!horizon) throw Unavailable("the database has not been reached yet");
    return *horizon;
}

std::optional<Horizon> LatestHorizon::get_if_any() const {
    const std::lock_guard lock(mutex_);
    return horizon_;
}

ReplicaPosition LatestHorizon::position() const {
    const std::lock_guard lock(mutex_);
    return horizon_ ? replica_position_of(*horizon_) : ReplicaPosition{};
}

HorizonWatch::HorizonWatch(StoreOptions options, LatestHorizon& latest,
                           RecordStatements& statements)
    : store_(std::move(options)), latest_(latest), statements_(statements) {}

void HorizonWatch::start() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kFirstAnswerTimeout, [this] { return checked_; });
}

void HorizonWatch::refresh() {
    latest_.remember(store_.horizon());
    try {
        statements_.set_schema(store_.record_schema());
    } catch (const Fault&) {
        statements_
            .clear_schema();  // reading a record throws the Fault again, which is logged there
    }
}

void HorizonWatch::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        lock.unlock();
        DatabaseStatus database_status = check();
        lock.lock();
        status_ = std::move(database_status);
        checked_ = true;
        changed_.notify_all();
        changed_.wait_for(lock, stop, std::chrono::seconds{1}, [] { return false; });
    }
}

DatabaseStatus HorizonWatch::check() {
    DatabaseStatus database_status;
    try {
        try {
            refresh();
        } catch (const Unavailable& e) {
            database_status.unnumbered = e.what();
        }
        static_cast<Store::QueueState&>(database_status) = store_.queue_state();
    } catch (const std::exception& e) {
        database_status.trouble = pg::with_remedy(e);
    }
    log_change(database_status.trouble + database_status.unnumbered);
    database_status.checked = std::chrono::steady_clock::now();
    return database_status;
}

void HorizonWatch::log_change(const std::string& trouble) {
    const bool failing = !trouble.empty();
    if (failing && !failing_) log::error("horizon", {{"state", "not readable"}, {"why", trouble}});
    if (!failing && failing_) log::info("horizon", {{"state", "seen again"}});
    failing_ = failing;
}

DatabaseStatus HorizonWatch::database_status() const {
    std::unique_lock lock(mutex_);
    DatabaseStatus database_status = status_;
    lock.unlock();
    database_status.horizon = latest_.get_if_any();
    return database_status;
}

}  // namespace oai
