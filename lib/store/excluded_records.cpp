// SPDX-License-Identifier: MIT
#include "store/excluded_records.h"

#include <algorithm>

namespace oai {

ExcludedRecords::ExcludedRecords(const std::vector<ExcludedRecord>& all) {
    for (const ExcludedRecord& one : all) seqs_[one.prefix].push_back(one.seq);
    for (auto& [prefix, seqs] : seqs_) std::sort(seqs.begin(), seqs.end());
}

bool ExcludedRecords::has(std::string_view prefix, std::int64_t seq) const {
    const auto found = seqs_.find(prefix);
    return found != seqs_.end() &&
           std::binary_search(found->second.begin(), found->second.end(), seq);
}

void ExcludedRecordsCache::refresh(Store& store) {
    const std::int64_t version = store.exclusions_version();
    {
        const std::lock_guard lock(mutex_);
        if (records_ && version == version_) return;
    }
    auto records = std::make_shared<const ExcludedRecords>(store.exclusions());
    const std::lock_guard lock(mutex_);
    records_ = std::move(records);
    version_ = version;  // read before the records: newer ones are read once more, never missed
}

std::shared_ptr<const ExcludedRecords> ExcludedRecordsCache::get(Store& store) {
    {
        const std::lock_guard lock(mutex_);
        if (records_) return records_;
    }
    refresh(store);
    const std::lock_guard lock(mutex_);
    return records_;
}

}  // namespace oai
