// SPDX-License-Identifier: MIT
// What a request does when its database is behind (reach.h): it asks again for as long as it would wait for a
// connection, then once more of the primary, if libpq finds one. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "pg/pool.h"
#include "verb.h"

namespace oai {

class CatchUp {
  public:
    // most_waiting: requests beyond that do not wait, so that workers are left for others.
    CatchUp(pg::Pool& pool, std::chrono::milliseconds max_wait, int most_waiting);

    // The first result of ask() that is not Behind; throws what ask() throws, Behind at last.
    VerbResult operator()(const std::function<VerbResult()>& ask);

  private:
    pg::Pool& pool_;
    const std::chrono::milliseconds max_wait_;
    const int most_waiting_;
    std::atomic<int> waiting_{0};
};

}  // namespace oai
