// SPDX-License-Identifier: MIT
#include "harvesters.h"

#include <algorithm>
#include <cmath>

namespace oai {
namespace {

constexpr double kHalfLifeSeconds = 600;
constexpr std::size_t kTextBytes = 300;  // of a set or date that a client made up

double weight_at(const Harvester& harvester, Seconds now) {
    const double seconds = static_cast<double>(std::max<std::int64_t>(0, (now - harvester.seen).count()));
    return harvester.weight * std::exp2(-seconds / kHalfLifeSeconds);
}

// A list is answered if all of it was understood, so what describes it is XML text.
void note_list(Harvester& harvester, const Story& story, Seconds now) {
    const Account& account = story.account;
    const Asked list = asked(story);
    if (!list.resumed) harvester.began = now;
    harvester.verb = verb_of(story);
    harvester.prefix = list.prefix.substr(0, kTextBytes);
    harvester.set = list.set.substr(0, kTextBytes);
    harvester.from = list.from.substr(0, kTextBytes);
    harvester.until = list.until.substr(0, kTextBytes);
    harvester.delivered = account.cursor + account.records;
    harvester.more = account.more;
    harvester.size = account.size;
}

void note_outcome(Harvester& harvester, const Story& story, std::string_view outcome, Seconds now) {
    const bool good = outcome == "ok" || outcome == "not_modified";
    if (good) {
        harvester.records += story.account.records;
        note_list(harvester, story, now);
    } else if (outcome != "noRecordsMatch") {
        ++harvester.errors;
        harvester.last_error = outcome;
        harvester.failed = now;
    }
}

}  // namespace

void Harvesters::note(const Story& story, int status, Seconds now) {
    if (!story.page.empty()) return;
    const std::lock_guard lock(mutex_);
    Harvester& harvester = known(story.client, now);
    harvester.weight = weight_at(harvester, now) + 1;
    harvester.seen = now;
    ++harvester.requests;
    note_outcome(harvester, story, outcome_of(story, status), now);
}

Harvester& Harvesters::known(const Client& client, Seconds now) {
    const Key key{client.address, client.agent};
    if (const auto found = harvesters_.find(key); found != harvesters_.end()) return found->second;
    if (harvesters_.size() >= most_) {
        harvesters_.erase(std::min_element(harvesters_.begin(), harvesters_.end(), [now](const auto& a, const auto& b) {
            return weight_at(a.second, now) < weight_at(b.second, now);
        }));
    }
    Harvester& harvester = harvesters_[key];
    harvester.address = client.address;
    harvester.agent = client.agent;
    harvester.seen = now;
    return harvester;
}

std::vector<Harvester> Harvesters::busiest(std::size_t n, Seconds now) const {
    std::vector<Harvester> all;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, harvester] : harvesters_) all.push_back(harvester);
    }
    std::stable_sort(all.begin(), all.end(),
                     [now](const Harvester& a, const Harvester& b) { return weight_at(a, now) > weight_at(b, now); });
    if (all.size() > n) all.resize(n);
    return all;
}

}  // namespace oai
