// SPDX-License-Identifier: MIT
// A gateway's account of the one static repository that it serves (schema/205-library-gateway.sql): what was taken in
// last, by what its server knows it again, which items are its. Every function throws pg::Error; the connection is the
// loader's. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pg/connection.h"
#include "static_repository/retrieval.h"

namespace oai::static_repository {

struct Intermediation {
    std::string url, base_url, collection;
    std::vector<std::string> admin_emails;  // the owner's
    bool keep = false;                      // records are kept as they are, in every format
    Validators validators = {};             // of the file that was taken in last
    std::string taken_at = {}, failing_since = {};  // YYYY-MM-DDThh:mm:ssZ; "" never
};

class Account {
  public:
    // Keeps others of its kind out of the database while it lives. Throws std::runtime_error in words if there is one, or
    // no model library of this program's version.
    explicit Account(pg::Connection& connection);

    std::optional<Intermediation> read();

    // A file is taken in between begin() and taken(): items are noted before they are there, validators forgotten
    // before what they stand for changes, so that whatever ends this, the next run takes the file in whole.
    // Of `which` what was known before it was asked for.
    void begin(const Intermediation& which, const std::set<std::string>& local_ids);
    // Marks as deleted what was noted and is not among these. Returns how many were not deleted yet.
    std::int64_t delete_others(const std::set<std::string>& local_ids);
    void taken(const Validators& validators);

    void unchanged();                         // says its server
    void failed(const std::string& problem);  // what is here stays

    // Marks all its items as deleted and forgets it. Returns how many were not deleted yet.
    std::int64_t end();

  private:
    std::int64_t delete_items(const std::vector<std::string>& local_ids);
    pg::Connection& connection_;
};

}  // namespace oai::static_repository
