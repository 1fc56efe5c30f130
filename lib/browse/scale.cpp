// SPDX-License-Identifier: MIT
#include "browse/scale.h"

#include <array>
#include <optional>

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

}  // namespace oai
