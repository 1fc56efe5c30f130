// SPDX-License-Identifier: MIT
// Imports a static repository into the model library: its records as `oai load` would take them
// from answers to ListRecords. If a record is there in several formats, the item is made of Dublin
// Core, MARCXML and MODS are kept beside it, and others are only counted. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/input.h"
#include "tools/load/item_staging.h"
#include "tools/load/progress.h"
#include "tools/static_repository/gateway.h"
#include "tools/static_repository/reader.h"

namespace oai::static_repository {

// The result of a first reading, which stores nothing.
struct RepositorySurvey {
    StaticIdentity identity;
    std::vector<StaticFormat> formats;
    std::map<std::string, std::int64_t> records;  // by prefix
    std::map<std::string, std::int64_t> abouts;   // by prefix: records with an <about>
    std::set<std::string> local_ids;              // of the items that import() makes
    std::set<std::string> dublin_core_ids;        // of those that have a record in oai_dc
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

// What a gateway remembers of the one static repository that it serves
// (schema/harvest/tables.sql): which version of the file was taken in last, and which items
// are made of it. "Intermediation" is the specification's word for serving it. Every function
// throws pg::Error; the connection is the loader's. Not thread-safe.

struct Intermediation {
    std::string url, base_url, collection;
    std::vector<std::string> admin_emails;          // the owner's
    bool keep = false;                              // records of every format are kept as they came
    Validators validators = {};                     // of the file that was taken in last
    std::string taken_at = {}, failing_since = {};  // YYYY-MM-DDThh:mm:ssZ; "" never
};

class SourceState {
  public:
    // Holds a lock, so that no other program does the same at the same time. Throws
    // std::runtime_error in words if another one holds it, or if the database has no model library
    // of this program's version.
    explicit SourceState(pg::Connection& connection);

    std::optional<Intermediation> read();

    // A file is taken in between begin() and finish(): its items are noted before they are written,
    // and the validators are forgotten before what they stand for changes. So after a crash in
    // between, the next run takes in the whole file. Of `which`, validators and times are not used.
    void begin(const Intermediation& which, const std::set<std::string>& local_ids);
    // What the file says of its formats, instead of what it said before.
    void note_formats(const std::vector<StaticFormat>& formats);
    // Marks as deleted the noted items that are not among these. Returns how many were not deleted
    // before.
    std::int64_t delete_others(const std::set<std::string>& local_ids);
    void finish(const Validators& validators);

    void note_unchanged();                          // the server answered that nothing has changed
    void note_failure(const std::string& problem);  // the items stay as they are

    // Marks all its items as deleted and forgets the static repository. Returns how many were not
    // deleted before.
    std::int64_t end();

  private:
    std::int64_t delete_items(const std::vector<std::string>& local_ids);
    pg::Connection& connection_;
};

// What the file taken in last says of the format; nullopt if it has no such format, or there is no
// file whose records are kept.
std::optional<StaticFormat> noted_format(pg::Connection& connection, const std::string& prefix);

}  // namespace oai::static_repository
