// SPDX-License-Identifier: MIT
#include "aggregate/batch.h"

namespace oai::aggregate {
namespace {

std::size_t size_of(const Gathered& record) {
    std::size_t n = sizeof(Gathered) + record.payload.size() + record.origin.size() + record.item.origin.size();
    for (const auto& values : record.item.elements)
        for (const load::Value& value : values) n += sizeof(load::Value) + value.text.size();
    return n;
}

}  // namespace

void Batch::add(Gathered record) {
    const auto [known, fresh] = by_local_id_.try_emplace(record.item.local_id, records_.size());
    bytes_ += size_of(record);
    if (fresh) records_.push_back(std::move(record));
    else records_[known->second] = std::move(record);
}

Batch Batch::split() {
    Batch first, second;
    const std::size_t half = (records_.size() + 1) / 2;
    for (std::size_t i = 0; i < records_.size(); ++i) (i < half ? first : second).add(std::move(records_[i]));
    *this = std::move(second);
    return first;
}

void Batch::clear() {
    records_.clear();
    by_local_id_.clear();
    bytes_ = 0;
}

}  // namespace oai::aggregate
