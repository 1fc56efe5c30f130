// SPDX-License-Identifier: MIT
// Histograms as long as nothing is published: the same set and bounds give the same until the last number moves. Bounded: it
// begins anew with a new number, and when it is full. Thread-safe; whoever draws holds up nobody.
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

#include "record.h"
#include "survey.h"

namespace oai {

class HistogramCache {
  public:
    using Draw = std::function<Histogram()>;

    explicit HistogramCache(std::size_t most = 256) : most_(most) {}

    // As survey.histogram(set, bounds), which `draw` asks. Nothing that was counted before this horizon is kept: a database may
    // be behind another one. Throws what `draw` throws.
    std::vector<Bin> get(const Horizon& horizon, const std::optional<std::string>& set, std::span<const Seconds> bounds,
                         const Draw& draw);

  private:
    using Key = std::pair<std::optional<std::string>, std::vector<Seconds>>;
    using Version = std::pair<std::uint64_t, std::int64_t>;  // epoch, last number

    const std::size_t most_;
    std::mutex mutex_;
    Version version_{};
    std::map<Key, std::vector<Bin>> drawn_;
};

}  // namespace oai
