// SPDX-License-Identifier: MIT
#include "browse/histogram_cache.h"

namespace oai {

std::vector<Bin> HistogramCache::get(const Horizon& horizon, const std::optional<std::string>& set,
                                     std::span<const Seconds> bounds, const Compute& compute) {
    const Version version{horizon.epoch, horizon.last_seq};
    const Key key{set, {bounds.begin(), bounds.end()}};
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        if (version == version_ && found != entries_.end()) return found->second;
    }
    Histogram histogram = compute();
    if (histogram.last_seq < horizon.last_seq) return std::move(histogram.bins);
    const std::lock_guard lock(mutex_);
    if (version != version_ || entries_.size() >= max_entries_) entries_.clear();
    version_ = version;
    return entries_.insert_or_assign(key, std::move(histogram.bins)).first->second;
}

}  // namespace oai
