// SPDX-License-Identifier: MIT
#include "tools/harvest/record_counter.h"

#include <algorithm>
#include <functional>

#include "protocol/datestamp.h"

namespace oai::harvest {
namespace {

constexpr std::size_t kFirstSlots = 1024;

bool is_in(const std::string& spec, const std::string& set) {
    return spec.starts_with(set) && (spec.size() == set.size() || spec[set.size()] == ':');
}

// A datestamp that is none is for others to judge.
bool is_outside(const std::string& datestamp, const ListSelection& list) {
    const auto is = parse_datestamp(datestamp);
    const auto from = parse_datestamp(list.from), until = parse_datestamp(list.until);
    return is && ((from && is->last() < from->first) || (until && is->first > until->last()));
}

void keep_first(std::string& example, const Record& record) {
    if (example.empty()) example = record.identifier;
}

}  // namespace

void RecordCounter::count(const Record& record, const ListSelection& list, ListCounts& counts) {
    if (record.deleted) ++counts.deleted;
    if (!list.set_spec.empty()) count_set(record, list.set_spec, counts);
    if (is_outside(record.datestamp, list)) {
        ++counts.outside_dates;
        keep_first(examples_.outside_dates, record);
    }
    if (is_repeated(record)) {
        ++counts.repeated;
        keep_first(examples_.repeated, record);
    }
}

void RecordCounter::count_set(const Record& record, const std::string& set, ListCounts& counts) {
    const bool is_member = std::any_of(record.set_specs.begin(), record.set_specs.end(),
                                       [&](const std::string& spec) { return is_in(spec, set); });
    if (is_member) {
        ++counts.in_set;
        return;
    }
    ++(record.set_specs.empty() ? counts.without_sets : counts.in_other_sets);
    keep_first(examples_.outside_set, record);
}

bool RecordCounter::is_repeated(const Record& record) {
    if (2 * remembered_ >= seen_.size()) grow();
    const std::uint64_t hash = std::max<std::uint64_t>(
        std::hash<std::string>()(record.identifier + ' ' + record.datestamp), 1);
    std::size_t slot = hash & (seen_.size() - 1);
    while (seen_[slot] != 0 && seen_[slot] != hash) slot = (slot + 1) & (seen_.size() - 1);
    if (seen_[slot] == hash) return true;
    if (remembered_ >= kMaxRemembered) return false;
    seen_[slot] = hash;
    ++remembered_;
    return false;
}

// Twice as many slots as can be remembered at most, so that one is always free.
void RecordCounter::grow() {
    if (seen_.size() > kMaxRemembered) return;
    std::vector<std::uint64_t> all(std::max(kFirstSlots, 2 * seen_.size()));
    for (const std::uint64_t hash : seen_) {
        if (hash == 0) continue;
        std::size_t slot = hash & (all.size() - 1);
        while (all[slot] != 0) slot = (slot + 1) & (all.size() - 1);
        all[slot] = hash;
    }
    seen_ = std::move(all);
}

}  // namespace oai::harvest
