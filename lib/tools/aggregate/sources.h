// SPDX-License-Identifier: MIT
// The harvested repositories in the database. Every function throws pg::Error; the connection is
// the loader's and in no transaction, and a function that throws may leave it in one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/aggregate/source.h"
#include "tools/harvest/harvest.h"

namespace oai::aggregate {

// Throws std::runtime_error in words where the database has no model library.
void require_library(pg::Connection& connection);

struct ScheduledSource {
    Source source;
    bool due = true;  // its interval has passed since the last run
};
// Ordered by name. names: which ones; empty for all.
std::vector<ScheduledSource> read_sources(pg::Connection& connection,
                                          const std::vector<std::string>& names);

// First adds what is needed to keep its formats, as keep_format() does. Returns false if there is a
// repository of this name.
bool add_source(pg::Connection& connection, const Source& source);

enum class RecordsFate { deleted, kept };  // what becomes of a removed source's records
// Returns how many records were marked as deleted.
std::int64_t remove_source(pg::Connection& connection, const Source& source, RecordsFate fate);
// Those that are not deleted.
std::int64_t count_records(pg::Connection& connection, const Source& source);

void note_run(pg::Connection& connection, const Source& source,
              const harvest::HarvestResult& outcome);

struct ListStatus {
    std::string prefix, set_spec;
    bool walking = false;
    std::int64_t records = 0, pages_missing = 0;
    std::optional<std::int64_t> list_size;
    std::string complete;  // "" never
};
struct SourceStatus {
    int id = 0;
    std::string name, base_url, title, outcome, problem;
    std::string ran_at;                                     // "" never
    std::string deleted_record, granularity, admin_emails;  // "" unknown
    std::int64_t items = 0, deleted = 0;
    std::vector<ListStatus> lists;
};
// name: nullopt for all.
std::vector<SourceStatus> read_status(pg::Connection& connection,
                                      const std::optional<std::string>& name);

struct Duplicate {
    std::string reason, value, first_local_id, local_id;
};
// Searches all items anew.
std::vector<Duplicate> find_duplicates(pg::Connection& connection);

// Returns the name of the column in which a format's records are kept as they came; adds it if it
// is missing. Waits up to 20 seconds for other users of the table.
std::string keep_format(pg::Connection& connection, const std::string& prefix);

// The same for what its records say about themselves (schema/210-library-abouts.sql).
std::string keep_abouts(pg::Connection& connection, const std::string& prefix);
// The formats for which that was done.
std::set<std::string> kept_abouts(pg::Connection& connection);

// The name of the first column, whether it is there or not.
std::string column_of(pg::Connection& connection, const std::string& prefix);

// One of the payloads kept in this format, as an example; "" if there is none.
std::string sample_payload(pg::Connection& connection, const std::string& prefix);

}  // namespace oai::aggregate
