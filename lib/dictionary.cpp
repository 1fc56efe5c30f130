// SPDX-License-Identifier: MIT
#include "dictionary.h"

#include <bit>
#include <mutex>

#include "pg/binary.h"

namespace oai {

Names::Names(const std::vector<std::pair<int, const Name*>>& names) {
    if (names.empty()) return;
    places_.resize(std::bit_ceil(2 * names.size()));
    shift_ = 32 - std::countr_zero(places_.size());
    for (const auto& name : names) {
        std::size_t at = first_place(name.first);
        while (places_[at].second != nullptr) at = (at + 1) & (places_.size() - 1);
        places_[at] = name;
    }
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
    return Names(out);
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
