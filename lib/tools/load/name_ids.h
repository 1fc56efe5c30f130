// SPDX-License-Identifier: MIT
// A cache of the ids that names have in one table: all names that a slice needs are looked up, and
// added where they are missing, by two statements. Kept, up to a limit, from slice to slice.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "pg/connection.h"
#include "tools/load/queries.h"

namespace oai::load {

class NameIds {
  public:
    explicit NameIds(const queries::NameTable& table) : table_(table) {}

    void request(const std::string& name);  // "" is no name
    // Finds all that were requested since; adds to the table what is missing. Throws pg::Error.
    void resolve(pg::Connection& connection);
    // REQUIRES: requested and resolved.
    int id(const std::string& name) const { return ids_.at(name); }
    std::vector<int> ids(const std::vector<std::string>& names) const;  // ascending, each once
    // After a rollback, which may have taken back what resolve() added.
    void clear() { ids_.clear(); }

  private:
    std::vector<std::string> unknown() const;
    void find(pg::Connection& connection, const std::vector<std::string>& names);

    const queries::NameTable& table_;
    std::set<std::string> requested_;
    std::unordered_map<std::string, int> ids_;
};

// Waits for the second in which a prepared slice may publish itself (schema/core/loading.sql).

// publish: -> one row: turn, milliseconds, as oai.publish_loaded() gives them; asked again while
// it is somebody else's turn. Returns how long the row of oai.horizon was locked, and is so until
// the caller commits, at once. Returns nothing, after 15 s at most, if the slice is to be left to
// the publisher. REQUIRES: the slice's transaction is open. Throws pg::Error.
std::optional<std::chrono::milliseconds> take_turn(pg::Connection& connection,
                                                   const pg::Statement& publish);

}  // namespace oai::load
