// SPDX-License-Identifier: MIT
// What a gateway remembers of the one static repository that it serves
// (schema/205-library-gateway.sql): which version of the file was taken in last, and which items
// are made of it. "Intermediation" is the specification's word for serving it. Every function
// throws pg::Error; the connection is the loader's. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/static_repository/reader.h"
#include "tools/static_repository/retrieval.h"

namespace oai::static_repository {

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
