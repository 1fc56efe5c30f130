// SPDX-License-Identifier: MIT
#include "command/short_locks.h"

#include <chrono>
#include <string_view>
#include <thread>

#include "command/options.h"
#include "command/queries.h"

namespace oai::command {
namespace {

constexpr int kAttempts = 100;
constexpr std::chrono::milliseconds kPause{700};

// Others were in the way: they hold a lock, wait for one of ours, or have just changed the same row
// of a catalog, as VACUUM does.
bool may_succeed_later(const pg::Error& e) {
    constexpr std::string_view kLockNotAvailable = "55P03", kDeadlock = "40P01";
    return e.sqlstate() == kLockNotAvailable || e.sqlstate() == kDeadlock ||
           std::string_view(e.what()).find("tuple concurrently updated") != std::string_view::npos;
}

}  // namespace

void with_short_locks(pg::Connection& connection, const std::string& what,
                      const std::function<void()>& work) {
    for (int attempt = 1;; ++attempt) {
        try {
            connection.query(queries::kBegin);
            connection.query(queries::kShortLocks);
            work();
            connection.query(queries::kCommit);
            return;
        } catch (const pg::Error& e) {
            if (!may_succeed_later(e) || attempt == kAttempts) throw;
            connection.query(queries::kRollback);
            if (attempt == 1) print_problem(what + " waits for locks of other sessions");
            std::this_thread::sleep_for(kPause);
        }
    }
}

}  // namespace oai::command
