// SPDX-License-Identifier: MIT
// A static repository into the model library: its records as `oai load` would take them from answers to
// ListRecords. Of several formats of one record Dublin Core says what the item is, MARCXML and MODS are kept
// beside it, others cannot be kept and are counted. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "load/input.h"
#include "load/item_staging.h"
#include "load/report.h"
#include "static_repository/reader.h"

namespace oai::static_repository {

// What a first reading tells, with nothing stored yet.
struct Survey {
    Identity identity;
    std::vector<Format> formats;
    std::map<std::string, std::int64_t> records;  // by prefix
    std::set<std::string> local_ids;              // of the items that import() makes
    std::map<std::string, std::string> marc,
        mods;  // by local_id: kept in memory, at most kMostPayloadBytes of it
    std::int64_t wrong = 0, remarks = 0;
};
constexpr std::size_t kMostPayloadBytes = std::size_t{512} << 20;

// Who hears of what is wrong and what is odd (Findings).
struct Listener {
    std::function<void(long line, const std::string&)> wrong, remark;
};

// name_space: of this repository, whose identifiers are oai:NAME_SPACE:...; others stay as they are
// (identifier.h). Throws as read() does, and std::runtime_error beyond kMostPayloadBytes.
Survey survey(load::Input& input, const std::string& name_space, const Listener& listener);

// The item that a record is of; "" none: its identifier is too long, or it has none.
std::string local_id_of(const xmlNode* record, const std::string& name_space);

// Moves all items, slice by slice. Records that are not in oai_dc come as their MARCXML or MODS says. Throws
// as read() and ItemStaging::move do. REQUIRES: the survey of the same input, wrong = 0.
load::LoadReport import(load::Input& input, const Survey& survey, const std::string& name_space,
                        load::ItemStaging& staging, int slice_records);

}  // namespace oai::static_repository
