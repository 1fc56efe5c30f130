// SPDX-License-Identifier: MIT
// Finds out who has a lock that changes wait for. PostgreSQL tells only of a session that is
// waiting, and the publisher itself does not wait: a second session does so for a moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pg/connection.h"

namespace oai {

class Blockers {
  public:
    // Does not connect yet.
    explicit Blockers(std::string conninfo) : conninfo_(std::move(conninfo)) {}

    // Returns who has a lock on the item, on the set, or on a table that the publisher writes, such
    // as "pid 4711 oai_loader psql"; nothing if nobody has one now. Takes 0.3 s at most. `database`
    // is another connection than the one that waits, without a transaction. Throws pg::Error.
    std::optional<std::string> find(pg::Connection& database, std::optional<std::int64_t> item,
                                    std::optional<std::int64_t> set_id);

  private:
    std::string conninfo_;
    std::optional<pg::Connection> waiter_;
    std::int64_t backend_ = 0;  // of waiter_
};

}  // namespace oai
