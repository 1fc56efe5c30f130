// SPDX-License-Identifier: MIT
#include "publish/blockers.h"

#include <chrono>
#include <thread>

#include "pg/binary.h"
#include "publish/queries.h"

namespace oai {
namespace {

// The waiting statement gives up after 300 ms.
constexpr int kLooks = 10;
constexpr std::chrono::milliseconds kPause{25};

}  // namespace

std::optional<std::string> Blockers::find(pg::Connection& database,
                                          std::optional<std::int64_t> item,
                                          std::optional<std::int64_t> set_id) {
    if (!waiter_ || waiter_->broken()) {
        waiter_.emplace(conninfo_, "oai publish, looking for locks");
        backend_ = pg::read_integer(waiter_->query(publish_queries::kBackend).bytes(0, 0));
    }
    waiter_->send(publish_queries::kWaitForBlocked, pg::Parameters().add(item).add(set_id));
    waiter_->flush();
    std::optional<std::string> found;
    for (int look = 0; look < kLooks && !found; ++look) {
        std::this_thread::sleep_for(kPause);
        const pg::Result row =
            database.query(publish_queries::kBlockers, pg::Parameters().add(backend_));
        if (!row.is_null(0, 0)) found = std::string(row.bytes(0, 0));
    }
    try {
        waiter_->take();
    } catch (const pg::Error&) {  // the lock was not free in time
        waiter_->reset_quietly();
    }
    return found;
}

}  // namespace oai
