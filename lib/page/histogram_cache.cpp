// SPDX-License-Identifier: MIT
#include "page/histogram_cache.h"

namespace oai {

std::vector<Bin> HistogramCache::get(const Horizon& horizon, const std::optional<std::string>& set,
                                     std::span<const Seconds> bounds, const Draw& draw) {
    const Version version{horizon.epoch, horizon.last_seq};
    const Key key{set, {bounds.begin(), bounds.end()}};
    {
        const std::lock_guard lock(mutex_);
        const auto found = drawn_.find(key);
        if (version == version_ && found != drawn_.end()) return found->second;
    }
    Histogram histogram = draw();
    if (histogram.last_seq < horizon.last_seq) return std::move(histogram.bins);
    const std::lock_guard lock(mutex_);
    if (version != version_ || drawn_.size() >= most_) drawn_.clear();
    version_ = version;
    return drawn_.insert_or_assign(key, std::move(histogram.bins)).first->second;
}

}  // namespace oai
