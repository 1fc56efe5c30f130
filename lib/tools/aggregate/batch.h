// SPDX-License-Identifier: MIT
// Harvested records gathered for one transaction, each item once: the later record counts. Knows
// neither the database nor the walk.
#pragma once

#include <string>

#include "tools/load/item.h"
#include "tools/load/latest_records.h"

namespace oai::aggregate {

struct HarvestedRecord {
    load::Item item;  // of oai_dc; of other formats its collections alone
    // Our own local_id, where item.local_id is the source's and may be another source's, too; else
    // "".
    std::string other_local_id;
    std::string identifier;  // the source's
    std::string datestamp;   // the source's
    bool deleted = false;
    std::string payload, payload_namespace;  // of other formats; "" of a deleted record
    std::string origin;                      // of the payload
};

inline const std::string& key_of(const HarvestedRecord& record) { return record.item.local_id; }
std::size_t memory_bytes(const HarvestedRecord& record);

using Batch = load::LatestRecords<HarvestedRecord>;

// Takes the first half out of the batch; of one record, this one. REQUIRES: not empty.
Batch take_first_half(Batch& batch);

}  // namespace oai::aggregate
