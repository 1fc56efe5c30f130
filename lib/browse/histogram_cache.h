// SPDX-License-Identifier: MIT
// A cache of histograms: the same set and bounds give the same histogram until something is
// published, that is, until the last publication number changes. It is emptied then, and when it is
// full. Thread-safe; no lock is held while a histogram is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/record.h"
#include "store/browse_queries.h"

namespace oai {

class HistogramCache {
  public:
    using Compute = std::function<Histogram()>;

    explicit HistogramCache(std::size_t max_entries = 256) : max_entries_(max_entries) {}

    // The bins of BrowseQueries::histogram(set, bounds), which `compute` calls on a cache miss. A
    // result that was counted before this horizon is returned but not kept, since the database that
    // gave it may lag behind another one. Throws what `compute` throws.
    std::vector<Bin> get(const Horizon& horizon, const std::optional<std::string>& set,
                         std::span<const Seconds> bounds, const Compute& compute);

  private:
    using Key = std::pair<std::optional<std::string>, std::vector<Seconds>>;
    using Version = std::pair<std::uint64_t, std::int64_t>;  // epoch, last number

    const std::size_t max_entries_;
    std::mutex mutex_;
    Version version_{};
    std::map<Key, std::vector<Bin>> entries_;
};

}  // namespace oai
