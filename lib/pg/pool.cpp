// SPDX-License-Identifier: MIT
#include "pg/pool.h"

#include <algorithm>

namespace oai::pg {
namespace {

constexpr Statement kSetting{"setting", "select set_config($1, $2, false)"};

}  // namespace

Pool::Pool(PoolOptions options) : options_(std::move(options)) {
    // Reserved here so that release() cannot fail.
    idle_.reserve(static_cast<std::size_t>(options_.connections));
}

Pool::Lease Pool::acquire() {
    PooledConnection pooled = reserve();
    try {
        // Data on an idle connection means that the server has closed it.
        if (pooled.connection && !pooled.connection->is_quiet()) pooled.connection.reset();
        if (!pooled.connection) pooled = open();
    } catch (...) {
        release({});
        throw;
    }
    return {*this, std::move(pooled)};
}

std::optional<Pool::Lease> Pool::acquire_idle() {
    const std::lock_guard lock(mutex_);
    if (!queue_.empty() || idle_.empty() || in_use_ >= options_.connections) return std::nullopt;
    if (is_expired(idle_.back()) || !idle_.back().connection->is_quiet()) return std::nullopt;
    PooledConnection pooled = std::move(idle_.back());
    idle_.pop_back();
    ++in_use_;
    ++totals_.taken;
    return Lease(*this, std::move(pooled));
}

bool Pool::is_exhausted() const {
    const std::lock_guard lock(mutex_);
    return in_use_ >= options_.connections;
}

bool Pool::is_expired(const PooledConnection& pooled) const {
    return pooled.opened_at < min_opened_at_ || Clock::now() - pooled.opened_at >= options_.max_age;
}

Pool::PooledConnection Pool::reserve() {
    std::unique_lock lock(mutex_);
    if (!queue_.empty() || in_use_ >= options_.connections) wait(lock);
    ++in_use_;
    ++totals_.taken;
    if (idle_.empty()) return {};
    PooledConnection pooled = std::move(idle_.back());
    idle_.pop_back();
    return is_expired(pooled) ? PooledConnection{} : std::move(pooled);
}

void Pool::wait(std::unique_lock<std::mutex>& lock) {
    if (static_cast<int>(queue_.size()) >= options_.max_waiters)
        refuse("all " + std::to_string(options_.connections) +
               " database connections are in use and " + std::to_string(queue_.size()) +
               " requests are waiting for one");
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t ticket = next_ticket_++;
    queue_.push_back(ticket);
    const bool is_served = freed_.wait_for(lock, options_.max_wait, [&] {
        return queue_.front() == ticket && in_use_ < options_.connections;
    });
    std::erase(queue_, ticket);
    if (!queue_.empty())
        freed_.notify_all();  // the next in the queue may have been woken before its turn
    ++totals_.waited;
    totals_.waiting_time += std::chrono::steady_clock::now() - began;
    if (!is_served)
        refuse("no database connection became free within " +
               std::to_string(options_.max_wait.count()) + " ms");
}

void Pool::refuse(const std::string& why) {
    ++totals_.refused;
    throw Busy(why);
}

// Falls back to any host if no primary can be reached.
std::unique_ptr<Connection> Pool::connect() const {
    const auto to = [&](Connection::Host host) {
        return std::make_unique<Connection>(options_.conninfo, options_.application_name, host,
                                            options_.result_timeout);
    };
    if (Clock::now() < primary_until_.load()) {
        try {
            return to(Connection::Host::primary);
        } catch (const Error&) {
        }
    }
    return to(Connection::Host::any);
}

Pool::PooledConnection Pool::open() const {
    const auto now = Clock::now();
    auto connection = connect();
    for (const auto& [name, value] : options_.settings)
        connection->send(kSetting,
                         Parameters().add(std::string_view(name)).add(std::string_view(value)));
    if (!options_.settings.empty()) connection->flush();
    for (std::size_t i = 0; i < options_.settings.size(); ++i) connection->take();
    if (!options_.on_connect.empty()) connection->script("on_connect", options_.on_connect);
    return {std::move(connection), now};
}

void Pool::release(PooledConnection pooled) noexcept {
    if (pooled.connection) pooled.connection->reset_quietly();
    if (pooled.connection && pooled.connection->broken()) pooled.connection.reset();
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (pooled.connection) idle_.push_back(std::move(pooled));
    freed_.notify_all();
}

void Pool::prefer_primary(std::chrono::seconds how_long) {
    const std::lock_guard lock(mutex_);
    min_opened_at_ = Clock::now();
    primary_until_ = min_opened_at_ + how_long;
}

Pool::Stats Pool::stats() const {
    const std::lock_guard lock(mutex_);
    Stats now = totals_;
    now.in_use = in_use_;
    now.idle = static_cast<int>(idle_.size());
    now.waiting = static_cast<int>(queue_.size());
    return now;
}

}  // namespace oai::pg
