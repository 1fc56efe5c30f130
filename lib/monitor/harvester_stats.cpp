// SPDX-License-Identifier: MIT
#include "monitor/harvester_stats.h"

#include <algorithm>
#include <cmath>

namespace oai {
namespace {

constexpr double kHalfLifeSeconds = 600;
// Kept of an argument, which a client may make any length.
constexpr std::size_t kMaxArgumentBytes = 300;

double weight_at(const Harvester& harvester, Seconds now) {
    const double seconds =
        static_cast<double>(std::max<std::int64_t>(0, (now - harvester.seen).count()));
    return harvester.weight * std::exp2(-seconds / kHalfLifeSeconds);
}

void note_outcome(Harvester& harvester, const RequestLog& log, std::string_view outcome,
                  Seconds now) {
    if (outcome == "noRecordsMatch") return;
    if (outcome != "ok" && outcome != "not_modified") {
        ++harvester.errors;
        harvester.last_error = outcome;
        harvester.failed = now;
        return;
    }
    // The arguments were valid, so they are well-formed text.
    const RequestedList list = requested_list(log);
    if (!list.resumed) harvester.began = now;
    harvester.verb = verb_of(log);
    harvester.prefix = list.prefix.substr(0, kMaxArgumentBytes);
    harvester.set = list.set.substr(0, kMaxArgumentBytes);
    harvester.from = list.from.substr(0, kMaxArgumentBytes);
    harvester.until = list.until.substr(0, kMaxArgumentBytes);
    harvester.records += log.stats.records;
    harvester.delivered = log.stats.cursor + log.stats.records;
    harvester.more = log.stats.more;
    harvester.size = log.stats.size;
}

}  // namespace

void HarvesterStats::note(const RequestLog& log, int status, Seconds now) {
    if (!log.page.empty()) return;
    const std::lock_guard lock(mutex_);
    Harvester& harvester = find_or_add(log.client, now);
    harvester.weight = weight_at(harvester, now) + 1;
    harvester.seen = now;
    ++harvester.requests;
    note_outcome(harvester, log, outcome_of(log, status), now);
}

Harvester& HarvesterStats::find_or_add(const ClientAddress& client, Seconds now) {
    const Key key{client.address, client.agent};
    if (const auto found = harvesters_.find(key); found != harvesters_.end()) return found->second;
    if (harvesters_.size() >= max_harvesters_) {
        harvesters_.erase(std::min_element(
            harvesters_.begin(), harvesters_.end(),
            [now](const auto& a, const auto& b) {
                return weight_at(a.second, now) < weight_at(b.second, now);
            }));
    }
    Harvester& harvester = harvesters_[key];
    harvester.address = client.address;
    harvester.agent = client.agent;
    harvester.seen = now;
    return harvester;
}

std::vector<Harvester> HarvesterStats::busiest(std::size_t n, Seconds now) const {
    std::vector<Harvester> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, harvester] : harvesters_) all.push_back(harvester);
    }
    std::stable_sort(all.begin(), all.end(), [now](const Harvester& a, const Harvester& b) {
        return weight_at(a, now) > weight_at(b, now);
    });
    if (all.size() > n) all.resize(n);
    return all;
}

}  // namespace oai
