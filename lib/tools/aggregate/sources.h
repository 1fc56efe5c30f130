// SPDX-License-Identifier: MIT
// The harvested repositories in the database. Every function throws pg::Error; the connection is
// the loader's and in no transaction, and a function that throws may leave it in one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/harvest/harvest.h"

namespace oai::aggregate {

// A repository that this one harvests, as the administrator has configured it (table
// harvest.repository). A plain value.

// The metadataPrefix that every repository has (OAI-PMH 2.0, 3.4); items are made of its records.
constexpr const char* kDescriptionPrefix = "oai_dc";

struct Source {
    int id = 0;  // 0: not in the database yet
    std::string name;
    // A label of setSpecs and the beginning of our identifiers: its records are in col:LABEL. The
    // first name of the source, which stays when that is changed.
    std::string label = {};
    std::string base_url;
    std::vector<std::string> formats;    // metadataPrefixes of records that are kept beside oai_dc
    std::vector<std::string> sets;       // setSpecs; empty: the whole repository
    bool their_identifiers = false;      // its records are served under their own identifiers
    std::vector<std::string> normalise;  // names of stylesheets, in order (Normaliser)
    std::chrono::seconds overlap{0};
    std::chrono::seconds every{86'400};
    std::chrono::seconds full_every{0};  // all of it is harvested anew; 0: never
    // Items that a full harvest no longer finds are deleted. REQUIRES: sets is empty.
    bool delete_missing = false;
};

// Throws std::runtime_error in words where the database has no model library.
void require_library(pg::Connection& connection);

struct ScheduledSource {
    Source source;
    // Its interval, or five sixths of it, since a timer does not come at the same time each day,
    // has passed since the last run began; the same since all of it was harvested.
    bool due = true, full_due = false;
};
// Ordered by name. names: which ones; empty for all.
std::vector<ScheduledSource> read_sources(pg::Connection& connection,
                                          const std::vector<std::string>& names);

// First adds what its formats need, as keep_format() does. False: there is one of this name.
bool add_source(pg::Connection& connection, const Source& source);
// Its name, base URL, sets, times and what becomes of missing records; the rest stays as it is.
void change_source(pg::Connection& connection, const Source& source);

enum class RecordsFate { deleted, kept };  // what becomes of a removed source's records
// Returns how many records were marked as deleted.
std::int64_t remove_source(pg::Connection& connection, const Source& source, RecordsFate fate);
struct Departures {
    std::int64_t gone = 0, held = 0;  // became deleted records; wait
};
// At the end of a harvest: what is deleted there becomes deleted records here (harvest.depart).
// believe: even if it is most of what the source has.
Departures depart(pg::Connection& connection, const Source& source, bool believe);
// Whether live items that come from nowhere else are filed under this label.
bool is_own_collection(pg::Connection& connection, const std::string& label);
// Of its records here, how many are in none of the source's sets; and all.
std::pair<std::int64_t, std::int64_t> count_outside(pg::Connection& connection,
                                                    const Source& source);

struct SourceRun {
    harvest::HarvestResult outcome;
    std::string set_back{};        // signs of it (harvest::find_setback)
    bool deleted_missing = false;  // what is not there any more is not here, either
    std::chrono::seconds seconds{0};
    std::int64_t changed = 0;  // records here
};
void note_run(pg::Connection& connection, const Source& source, const SourceRun& run);

// A base URL that the whole world may read: without user, password, query and fragment; "" if it is
// none of http or https.
std::string public_url(const std::string& url);

// Of records that could not be taken, or of which a part was left out (tries 0).
struct RefusedRecord {
    std::string prefix, identifier, reason;
    std::int64_t tries = 0;
};
struct SourceStatus {
    std::int64_t id = 0;
    std::string name, base_url, title, outcome, problem;
    std::string ran_at;                                     // "" never
    std::string deleted_record, granularity, admin_emails;  // "" unknown
    std::string state, since, succeeded_at;  // of harvest.health (schema/harvest/functions.sql)
    std::string set_back, faults;            // "" none
    std::vector<std::string> lost_sets;
    bool is_harvested_anew = false;  // all of it, now and then
    std::int64_t items = 0, deleted = 0;
    std::int64_t held = 0;               // deleted there, and not yet here (Departures)
    std::vector<std::string> lists;      // how far each is, in words
    std::int64_t refused_records = 0;    // could not be taken
    std::vector<RefusedRecord> refused;  // some of them, and of those with a part left out
};
// name: nullopt for all.
std::vector<SourceStatus> read_status(pg::Connection& connection,
                                      const std::optional<std::string>& name);

// Adds the column in which a format's records are kept as they came, if it is missing. Waits up to
// 20 seconds for other users of the table.
void keep_format(pg::Connection& connection, const std::string& prefix);

}  // namespace oai::aggregate
