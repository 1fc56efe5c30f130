// SPDX-License-Identifier: MIT
#include "store/known_lists.h"

#include <fmt/format.h>

namespace oai {
namespace {

constexpr std::size_t kMaxLists = 1000;

// A blank can stand neither in a setSpec nor in the name of a column that a format requires.
std::string key_of(const ListQuery& query) {
    return fmt::format("{} {}", query.set.value_or(""), fmt::join(query.required, " "));
}

}  // namespace

std::optional<ListSets> KnownLists::find(const ListQuery& query) const {
    if (!query.set && query.required.empty()) return ListSets{};
    const std::lock_guard lock(mutex_);
    const auto found = lists_.find(key_of(query));
    return found == lists_.end() ? std::nullopt : std::optional(found->second);
}

void KnownLists::note(const ListQuery& query, const ListSets& sets) {
    if (!query.set && query.required.empty()) return;
    const std::lock_guard lock(mutex_);
    if (lists_.size() >= kMaxLists) lists_.clear();
    lists_[key_of(query)] = sets;
}

}  // namespace oai
