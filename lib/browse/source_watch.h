// SPDX-License-Identifier: MIT
// Whether the repository has sources to show (the view oai.source). The view is asked for once: a
// model has it or has not; whether it shows any source is asked once a minute at most. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "store/browse_queries.h"

namespace oai {

class SourceWatch {
  public:
    // Throws as the queries do.
    bool has_view(BrowseQueries& queries);
    bool has_sources(BrowseQueries& queries, Seconds now);

  private:
    enum class View : int { unknown, missing, present };
    std::atomic<View> view_{View::unknown};
    std::atomic<std::int64_t> next_{0};  // when to ask again, in seconds since 1970
    std::atomic<bool> any_{false};
};

}  // namespace oai
