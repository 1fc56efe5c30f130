// SPDX-License-Identifier: MIT
#include "pg/pool.h"

#include <algorithm>

namespace oai::pg {
namespace {

constexpr Statement kSetting{"setting", "select set_config($1, $2, false)"};

}  // namespace

Pool::Lease::Lease(Pool* pool, std::unique_ptr<Connection> c) : pool_(pool), connection_(std::move(c)) {}

Pool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}

Pool::Lease::~Lease() {
    if (pool_) pool_->give_back(std::move(connection_));
}

Pool::Pool(PoolOptions options) : options_(std::move(options)) {
    idle_.reserve(static_cast<std::size_t>(options_.connections));  // so that give_back() cannot fail
}

Pool::Lease Pool::take() {
    std::unique_ptr<Connection> connection = enter();
    try {
        // An idle connection that has something to say says that it ends (or, rarely, a notice).
        if (connection && !connection->quiet()) connection.reset();
        if (!connection) connection = open();
    } catch (...) {
        give_back(nullptr);
        throw;
    }
    return {this, std::move(connection)};
}

std::unique_ptr<Connection> Pool::enter() {
    std::unique_lock lock(mutex_);
    if (!queue_.empty() || in_use_ >= options_.connections) {
        if (static_cast<int>(queue_.size()) >= options_.max_waiters)
            throw Busy("all " + std::to_string(options_.connections) + " database connections are in use and " +
                       std::to_string(queue_.size()) + " requests wait for one");
        const std::uint64_t ticket = next_ticket_++;
        queue_.push_back(ticket);
        const bool served = freed_.wait_for(lock, options_.max_wait, [&] {
            return queue_.front() == ticket && in_use_ < options_.connections;
        });
        std::erase(queue_, ticket);
        if (!queue_.empty()) freed_.notify_all();  // who is first now, may have been woken in vain before
        if (!served)
            throw Busy("no database connection became free within " + std::to_string(options_.max_wait.count()) +
                       " ms");
    }
    ++in_use_;
    if (idle_.empty()) return nullptr;
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
}

std::unique_ptr<Connection> Pool::open() const {
    auto connection = std::make_unique<Connection>(options_.conninfo, options_.application_name);
    for (const auto& [name, value] : options_.settings)
        connection->send(kSetting, Parameters().add(std::string_view(name)).add(std::string_view(value)));
    if (!options_.settings.empty()) connection->flush();
    for (std::size_t i = 0; i < options_.settings.size(); ++i) connection->take();
    if (!options_.on_connect.empty()) connection->script("on_connect", options_.on_connect);
    return connection;
}

void Pool::give_back(std::unique_ptr<Connection> connection) noexcept {
    if (connection) connection->reset_quietly();
    if (connection && connection->broken()) connection.reset();
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (connection) idle_.push_back(std::move(connection));
    freed_.notify_all();
}

Pool::Use Pool::use() const {
    const std::lock_guard lock(mutex_);
    return {in_use_, static_cast<int>(idle_.size()), static_cast<int>(queue_.size())};
}

}  // namespace oai::pg
