// SPDX-License-Identifier: MIT
#include "browse/histogram.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "browse/markup.h"
#include "browse/pages.h"

namespace oai {
namespace {

using namespace std::chrono;

struct Step {
    std::int64_t seconds;  // 0 if the step is in months
    int months;
    int label_bytes;
};

constexpr std::array kSteps{
    Step{1, 0, 20},      Step{5, 0, 20},      Step{15, 0, 20},      Step{60, 0, 16},
    Step{300, 0, 16},    Step{900, 0, 16},    Step{3600, 0, 13},    Step{10'800, 0, 13},
    Step{43'200, 0, 13}, Step{86'400, 0, 10}, Step{604'800, 0, 10}, Step{0, 1, 7},
    Step{0, 3, 7},       Step{0, 6, 7},       Step{0, 12, 4},       Step{0, 60, 4},
    Step{0, 120, 4},     Step{0, 1200, 4},    Step{0, 12'000, 4},
};

constexpr std::int64_t kMonday = 4 * 86'400;  // 1970-01-05, a Monday, on which weeks begin

Seconds begin_of(Seconds t, const Step& step) {
    if (step.seconds > 0) {
        const std::int64_t origin = step.seconds == 604'800 ? kMonday : 0;
        const std::int64_t rest = (t.time_since_epoch().count() - origin) % step.seconds;
        return t - seconds{rest < 0 ? rest + step.seconds : rest};
    }
    const year_month_day date{floor<days>(t)};
    const year_month month = date.year() / date.month();
    return Seconds{sys_days{(month - (month - year{0} / January) % step.months) / 1}};
}

Seconds after(Seconds begin, const Step& step) {
    if (step.seconds > 0) return begin + seconds{step.seconds};
    return Seconds{sys_days{year_month_day{floor<days>(begin)} + months{step.months}}};
}

std::optional<Scale> scale_by(Seconds first, Seconds last, int max_bins, const Step& step) {
    if (step.seconds > 0 && (last - first).count() / step.seconds > max_bins) return std::nullopt;
    Scale scale{.bounds = {begin_of(first, step)}, .label_bytes = step.label_bytes};
    while (scale.bounds.back() <= last) {
        if (static_cast<int>(scale.bounds.size()) > max_bins) return std::nullopt;
        scale.bounds.push_back(after(scale.bounds.back(), step));
    }
    return scale;
}

constexpr int kMaxBins = 32;

// Scales the estimated bins so that all bins together give the total.
void scale_estimates(std::vector<Bin>& bins, std::int64_t total) {
    std::int64_t counted = 0, estimated = 0;
    for (const Bin& bin : bins) (bin.exact ? counted : estimated) += bin.records;
    if (total < counted || estimated == 0) return;
    for (Bin& bin : bins)
        if (!bin.exact)
            bin.records = static_cast<std::int64_t>(static_cast<double>(bin.records) *
                                                    static_cast<double>(total - counted) /
                                                    static_cast<double>(estimated));
}

// In a format with `since`, no record has an earlier datestamp: moves the counts of earlier bins to
// the bin of `since`.
void apply_since(std::vector<Bin>& bins, const std::vector<Seconds>& bounds, Seconds since) {
    Bin moved;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (bounds[i] >= since) break;
        moved.records += std::exchange(bins[i].records, 0);
        moved.exact = moved.exact && bins[i].exact;
        if (bounds[i + 1] > since) bins[i] = moved;
    }
}

// A datestamp cut to the length by which bins differ, as people write it.
std::string bin_label(Seconds begin, int bytes) {
    constexpr int kHour = 13, kSecond = 20;
    std::string label = print_datestamp(begin).substr(0, static_cast<std::size_t>(bytes));
    if (bytes == kHour) label += ":00";
    if (bytes == kSecond) label.pop_back();  // Z
    std::replace(label.begin(), label.end(), 'T', ' ');
    return label;
}

void append_bins(std::string& out, std::int64_t largest, const Scale& scale,
                 const std::vector<Seconds>& bounds, const std::vector<Bin>& bins) {
    markup::open(out, "histogram");
    for (const std::int64_t tick : even_ticks(largest))
        markup::empty(out, "tick", {{"records", tick}});
    for (std::size_t i = 0; i < bins.size(); ++i)
        markup::empty(out, "bin",
                      {{"place", static_cast<std::int64_t>(i)},
                       {"from", print_datestamp(bounds[i])},
                       {"until", print_datestamp(bounds[i + 1] - std::chrono::seconds{1})},
                       {"label", bin_label(scale.bounds[i], scale.label_bytes)},
                       {"records", bins[i].records},
                       {"about", !bins[i].exact}});
    markup::close(out, "histogram");
}

}  // namespace

Scale make_scale(Seconds first, Seconds last, int max_bins) {
    for (const Step& step : kSteps)
        if (auto scale = scale_by(first, last, max_bins, step)) return *std::move(scale);
    return {.bounds = {first, last + seconds{1}}};
}

std::vector<std::int64_t> even_ticks(std::int64_t largest) {
    constexpr std::int64_t kMaxIntervals = 5, kFactors[] = {2, 5, 10};
    std::int64_t power = 1, step = 1;
    for (std::size_t i = 0; (largest + step - 1) / step > kMaxIntervals; ++i) {
        step = power * kFactors[i % 3];
        if (i % 3 == 2) power = step;
    }
    std::vector<std::int64_t> ticks{0};
    while (ticks.back() < largest) ticks.push_back(ticks.back() + step);
    return ticks;
}

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

void append_histogram(std::string& out, const PageQuestion& question, const Horizon& horizon,
                      const HistogramQuestion& histogram) {
    if (histogram.last < histogram.first) return;
    const Scale scale = make_scale(histogram.first, histogram.last, kMaxBins);
    // The requested time may begin and end within a step of the scale.
    std::vector<Seconds> bounds = scale.bounds;
    bounds.front() = std::max(bounds.front(), histogram.first);
    if (histogram.until)
        bounds.back() = std::min(bounds.back(), *histogram.until + std::chrono::seconds{1});
    std::vector<Bin> bins = question.histograms.get(horizon, histogram.set, bounds, [&] {
        return question.queries.histogram(histogram.set, bounds);
    });
    if (histogram.known_total >= 0) scale_estimates(bins, histogram.known_total);
    if (histogram.since) apply_since(bins, bounds, *histogram.since);
    std::int64_t largest = 0;
    for (const Bin& bin : bins) largest = std::max(largest, bin.records);
    if (largest > 0) append_bins(out, largest, scale, bounds, bins);
}

}  // namespace oai
