// SPDX-License-Identifier: MIT
// The harvested repositories as the database has them. Every function throws pg::Error; the connection is the loader's, in no
// transaction, and may be left in one by a function that throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregate/source.h"
#include "harvest/harvest.h"
#include "pg/connection.h"

namespace oai::aggregate {

// Throws std::runtime_error in words where the database has no model library.
void require_library(pg::Connection& connection);

struct KnownSource {
    Source source;
    bool due = true;  // its interval has passed since the last run
};
// By name; names: empty for all.
std::vector<KnownSource> read_sources(pg::Connection& connection, const std::vector<std::string>& names);

// Makes what is needed to keep its formats first, which stays. False: there is one of this name. Waits up to 20 seconds for those
// who use the items' table.
bool add_source(pg::Connection& connection, const Source& source);

enum class Fate { deleted, kept };  // of the records
// Returns how many records were marked as deleted.
std::int64_t remove_source(pg::Connection& connection, const Source& source, Fate fate);
std::int64_t count_records(pg::Connection& connection, const Source& source);  // that are not deleted

void note_run(pg::Connection& connection, const Source& source, const harvest::Outcome& outcome);

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
    std::string ran_at;    // "" never
    std::string deleted_record, granularity, admin_emails;  // "" not told
    std::int64_t items = 0, deleted = 0;
    std::vector<ListStatus> lists;
};
// name: nullopt for all.
std::vector<SourceStatus> read_status(pg::Connection& connection, const std::optional<std::string>& name);

struct Duplicate {
    std::string reason, value, first_local_id, local_id;
};
// Looks for them anew, in all items.
std::vector<Duplicate> find_duplicates(pg::Connection& connection);

// The column where a format's records are kept as they came, made unless it is there. Waits for those who use the table,
// 20 s at most.
std::string keep_format(pg::Connection& connection, const std::string& prefix);

// One of the payloads kept in this format, to see what it is; "" there is none.
std::string sample_payload(pg::Connection& connection, const std::string& prefix);

}  // namespace oai::aggregate
