// SPDX-License-Identifier: MIT
// A cache of the ids that names have in one table: all names that a slice needs are looked up, and
// added where they are missing, by two statements. Kept, up to a limit, from slice to slice.
#pragma once

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
    // After a rollback, which may have taken back what resolve() added.
    void clear() { ids_.clear(); }

  private:
    std::vector<std::string> unknown() const;
    void find(pg::Connection& connection, const std::vector<std::string>& names);

    const queries::NameTable& table_;
    std::set<std::string> requested_;
    std::unordered_map<std::string, int> ids_;
};

}  // namespace oai::load
