// SPDX-License-Identifier: MIT
#include "tools/aggregate/batch.h"

namespace oai::aggregate {

std::size_t memory_bytes(const HarvestedRecord& record) {
    std::size_t n = sizeof(HarvestedRecord) + record.payload.size() + record.origin.size() +
                    record.item.origin.size();
    for (const auto& values : record.item.elements)
        for (const load::Value& value : values) n += sizeof(load::Value) + value.text.size();
    return n;
}

Batch take_first_half(Batch& batch) {
    Batch first, second;
    const std::size_t half = (batch.size() + 1) / 2;
    for (std::size_t i = 0; i < batch.size(); ++i)
        (i < half ? first : second).add(std::move(batch.records()[i]));
    batch = std::move(second);
    return first;
}

}  // namespace oai::aggregate
