// SPDX-License-Identifier: MIT
// Moves a slice of captures into the model webarchiv in one transaction: names become ids here, COPY fills a temporary
// table, set-based statements do the rest. Any number of loaders may run at once. Knows no files.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/queries.h"
#include "load/slice.h"
#include "pg/connection.h"

namespace oai::load {

// Names of one table and their ids, remembered (up to a bound) from slice to slice.
class Names {
  public:
    explicit Names(const queries::NameTable& table) : table_(table) {}
    void want(const std::string& name) { wanted_.insert(name); }  // "" is no name
    void resolve(pg::Connection& connection);                     // all that are wanted; adds what is missing
    int id(const std::string& name) const { return ids_.at(name); }
    void forget() { ids_.clear(); }  // after a rollback

  private:
    void find(pg::Connection& connection, const std::vector<std::string>& names);
    const queries::NameTable& table_;
    std::set<std::string> wanted_;
    std::unordered_map<std::string, int> ids_;
};

struct StagingOptions {
    std::vector<std::string> collections;  // names, as collection_name() gives them
    bool captured_datestamps = false;      // the first fill brings the captures' times as datestamps
};

struct Moved {
    std::int64_t inserted = 0;
    std::int64_t updated = 0;  // got a value they lacked, or a collection
};

class Staging {
  public:
    // Throws pg::Error; std::runtime_error in words when the model is not there.
    Staging(pg::Connection& connection, StagingOptions options);

    // All or nothing. A deadlock with other programs is tried again. Throws pg::Error; std::runtime_error in words
    // when datestamps are brought after the first numbering has begun.
    Moved move(const std::vector<Entry>& entries);

  private:
    Moved try_move(const std::vector<Entry>& entries);
    void resolve(const std::vector<Entry>& entries);
    void copy(const std::vector<Entry>& entries);
    Moved merge(std::size_t staged);
    void roll_back();

    pg::Connection& connection_;
    StagingOptions options_;
    Names arcs_{queries::kArcs}, domains_{queries::kDomains}, mimetypes_{queries::kMimetypes},
        collections_{queries::kCollections};
};

// For COPY in text format and for arrays. Exposed for tests.
void append_copy_text(std::string& out, std::string_view value);
std::string array_literal(const std::vector<std::string>& values);

}  // namespace oai::load
