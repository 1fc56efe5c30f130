// SPDX-License-Identifier: MIT
#include "pg/pool.h"

#include <algorithm>

namespace oai::pg {
namespace {

constexpr Statement kSetting{"setting", "select set_config($1, $2, false)"};

}  // namespace

Pool::Lease::Lease(Pool* pool, Opened opened)
    : pool_(pool), connection_(std::move(opened.connection)), opened_(opened.at) {}

Pool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)), opened_(other.opened_) {}

Pool::Lease::~Lease() {
    if (pool_) pool_->give_back({std::move(connection_), opened_});
}

Pool::Pool(PoolOptions options) : options_(std::move(options)) {
    idle_.reserve(static_cast<std::size_t>(options_.connections));  // so that give_back() cannot fail
}

Pool::Lease Pool::take() {
    Opened opened = enter();
    try {
        // An idle connection that has something to say says that it ends (or, rarely, a notice).
        if (opened.connection && !opened.connection->quiet()) opened.connection.reset();
        if (!opened.connection) opened = open();
    } catch (...) {
        give_back({});
        throw;
    }
    return {this, std::move(opened)};
}

bool Pool::outlived(const Opened& opened) const {
    return opened.at < renewed_ || Clock::now() - opened.at >= options_.max_age;
}

Pool::Opened Pool::enter() {
    std::unique_lock lock(mutex_);
    if (!queue_.empty() || in_use_ >= options_.connections) wait(lock);
    ++in_use_;
    ++total_.taken;
    if (idle_.empty()) return {};
    Opened opened = std::move(idle_.back());
    idle_.pop_back();
    return outlived(opened) ? Opened{} : std::move(opened);
}

void Pool::wait(std::unique_lock<std::mutex>& lock) {
    if (static_cast<int>(queue_.size()) >= options_.max_waiters)
        refuse("all " + std::to_string(options_.connections) + " database connections are in use and " +
               std::to_string(queue_.size()) + " requests wait for one");
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t ticket = next_ticket_++;
    queue_.push_back(ticket);
    const bool served = freed_.wait_for(lock, options_.max_wait, [&] {
        return queue_.front() == ticket && in_use_ < options_.connections;
    });
    std::erase(queue_, ticket);
    if (!queue_.empty()) freed_.notify_all();  // who is first now, may have been woken in vain before
    ++total_.waited;
    total_.waiting_time += std::chrono::steady_clock::now() - began;
    if (!served)
        refuse("no database connection became free within " + std::to_string(options_.max_wait.count()) + " ms");
}

void Pool::refuse(const std::string& why) {
    ++total_.refused;
    throw Busy(why);
}

// Without a primary within reach it is as it always is.
std::unique_ptr<Connection> Pool::connect() const {
    const auto to = [&](Connection::Host host) {
        return std::make_unique<Connection>(options_.conninfo, options_.application_name, host, options_.patience);
    };
    if (Clock::now() < primary_until_.load()) {
        try {
            return to(Connection::Host::primary);
        } catch (const Error&) {
        }
    }
    return to(Connection::Host::as_told);
}

Pool::Opened Pool::open() const {
    const auto now = Clock::now();
    auto connection = connect();
    for (const auto& [name, value] : options_.settings)
        connection->send(kSetting, Parameters().add(std::string_view(name)).add(std::string_view(value)));
    if (!options_.settings.empty()) connection->flush();
    for (std::size_t i = 0; i < options_.settings.size(); ++i) connection->take();
    if (!options_.on_connect.empty()) connection->script("on_connect", options_.on_connect);
    return {std::move(connection), now};
}

void Pool::give_back(Opened opened) noexcept {
    if (opened.connection) opened.connection->reset_quietly();
    if (opened.connection && opened.connection->broken()) opened.connection.reset();
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (opened.connection) idle_.push_back(std::move(opened));
    freed_.notify_all();
}

void Pool::distrust_replicas(std::chrono::seconds how_long) {
    const std::lock_guard lock(mutex_);
    renewed_ = Clock::now();
    primary_until_ = renewed_ + how_long;
}

Pool::Use Pool::use() const {
    const std::lock_guard lock(mutex_);
    Use now = total_;
    now.in_use = in_use_;
    now.idle = static_cast<int>(idle_.size());
    now.waiting = static_cast<int>(queue_.size());
    return now;
}

}  // namespace oai::pg
