// SPDX-License-Identifier: MIT
// Imports a static repository into the model library: its records as `oai load` would take them
// from answers to ListRecords. If a record is there in several formats, the item is made of Dublin
// Core, MARCXML and MODS are kept beside it, and others are only counted. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/load/input.h"
#include "tools/load/item_staging.h"
#include "tools/load/report.h"
#include "tools/static_repository/reader.h"

namespace oai::static_repository {

// The result of a first reading, which stores nothing.
struct RepositorySurvey {
    StaticIdentity identity;
    std::vector<StaticFormat> formats;
    std::map<std::string, std::int64_t> records;  // by prefix
    std::map<std::string, std::int64_t> abouts;   // by prefix: records with an <about>
    std::set<std::string> local_ids;              // of the items that import() makes
    // By local_id; in memory, at most kMaxPayloadBytes in all.
    std::map<std::string, std::string> marc, mods;
    std::int64_t faults = 0, notes = 0;
};
constexpr std::size_t kMaxPayloadBytes = std::size_t{512} << 20;

// Takes the faults and notes of a first reading, as RepositoryHandler does.
struct FaultListener {
    std::function<void(long line, const std::string&)> fault, note;
};

// name_space: this repository's own, whose identifiers are oai:NAME_SPACE:...; records with others
// keep theirs (protocol/identifier.h). Throws as read() does, and std::runtime_error beyond
// kMaxPayloadBytes.
RepositorySurvey survey(load::Input& input, const std::string& name_space,
                        const FaultListener& listener);

// The local_id of the record's item; "" if the record has no identifier, or one that is too long.
std::string local_id_of(const xmlNode* record, const std::string& name_space);

// Writes all items, slice by slice. Items of records that are not in oai_dc are made of their
// MARCXML or MODS. Throws as read() and ItemStaging::write do. REQUIRES: the survey is of the same
// input and without faults.
load::LoadReport import(load::Input& input, const RepositorySurvey& survey,
                        const std::string& name_space, load::ItemStaging& staging,
                        int slice_records);

}  // namespace oai::static_repository
