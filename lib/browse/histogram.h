// SPDX-License-Identifier: MIT
// What a histogram is drawn by, and a cache of counts. Thread-safe.
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

#include "base/clock.h"
#include "protocol/record.h"
#include "store/browse_queries.h"

namespace oai {

// The axes: a period, and numbers from 0 up, divided into equal, round steps. Pure.
struct Scale {
    std::vector<Seconds> bounds;  // ascending; a bin is [bounds[i], bounds[i + 1])
    // The length of the prefix of a printed datestamp that differs from bin to bin: 4 for years.
    int label_bytes = 20;
};

// The finest scale of at most max_bins bins that covers first to last, in steps of whole seconds,
// minutes, hours, days, weeks, months or years. REQUIRES: first <= last, max_bins >= 2, both times
// in the years that a datestamp can have.
Scale make_scale(Seconds first, Seconds last, int max_bins);

// 2 to 6 numbers, ascending: 0 and multiples of 1, 2 or 5 with zeros, up to at least the largest,
// which is above 0.
std::vector<std::int64_t> even_ticks(std::int64_t largest);

// The same set and bounds give the same histogram until something is published, that is, until the
// last publication number changes. The cache is emptied then, and when it is full. No lock is held
// while a histogram is computed.
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
