// SPDX-License-Identifier: MIT
#include "store/set_specs.h"

#include <mutex>

#include "protocol/error.h"

namespace oai {

std::vector<int> SetSpecs::unknown(std::span<const int> ids) const {
    std::vector<int> unknown;
    const std::shared_lock lock(mutex_);
    for (const int id : ids)
        if (!specs_.contains(id)) unknown.push_back(id);
    return unknown;
}

void SetSpecs::learn(const std::vector<Row>& rows) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, spec] : rows) specs_.try_emplace(id, spec);
}

void SetSpecs::find(std::span<const int> ids, std::vector<std::string_view>& out) const {
    const std::shared_lock lock(mutex_);
    for (const int id : ids) {
        const auto found = specs_.find(id);
        if (found == specs_.end())
            throw Fault("no row of oai.set has the id " + std::to_string(id));
        out.push_back(found->second);
    }
}

}  // namespace oai
