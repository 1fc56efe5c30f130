// SPDX-License-Identifier: MIT
#include "store/dictionary.h"

#include <bit>
#include <mutex>

#include "base/text.h"
#include "xml/escape.h"

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
        if (const auto found = names_.find(id); found != names_.end())
            out.emplace_back(id, &found->second);
    return Names(out);
}

void Dictionary::learn(const std::vector<Row>& rows) {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows) {
        Name name{*kinds_.insert(row.kind).first, text::to_xml_text(row.text)};
        name.is_plain = xml::is_plain(name.text);
        names_.try_emplace(row.id, std::move(name));
    }
}

}  // namespace oai
