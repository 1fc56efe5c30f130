// SPDX-License-Identifier: MIT
#include "dictionary.h"

#include <algorithm>
#include <mutex>

#include "pg/binary.h"

namespace oai {

const Name* Names::find(int id) const {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), id,
                                     [](const auto& entry, int wanted) { return entry.first < wanted; });
    return at != sorted_.end() && at->first == id ? at->second : nullptr;
}

std::vector<int> Dictionary::unknown(std::span<const int> ids) const {
    std::vector<int> out;
    const std::shared_lock lock(mutex_);
    for (const int id : ids)
        if (!names_.contains(id)) out.push_back(id);
    return out;
}

Names Dictionary::names(std::span<const int> ids) const {
    std::vector<std::pair<int, const Name*>> out;
    out.reserve(ids.size());
    const std::shared_lock lock(mutex_);
    for (const int id : ids)
        if (const auto found = names_.find(id); found != names_.end()) out.emplace_back(id, &found->second);
    return Names(std::move(out));
}

void Dictionary::learn(const pg::Result& rows) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < rows.rows(); ++i) {
        const int id = static_cast<int>(pg::read_integer(rows.bytes(i, 0)));
        const std::string_view kind = *kinds_.emplace(rows.bytes(i, 1)).first;
        names_.try_emplace(id, Name{kind, std::string(rows.bytes(i, 2))});
    }
}

}  // namespace oai
