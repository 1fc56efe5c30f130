// SPDX-License-Identifier: MIT
// Sets by a rule and views: files NAME.set of a directory, each one section [set] with the keys
// spec, name, description and where, or [view] with set and where, and their validation by the
// database. Knows neither the publisher nor formats. Not thread-safe.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pg/connection.h"

namespace oai {

// The directory of sets cannot be read.
class SetsUnreadable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct SetRule {
    std::string name;  // of the file, without .set
    std::string path;
    int line = 0;  // of `where`
    std::string spec{}, title{}, description{}, condition{};
    bool is_view = false;
    std::string problem{};  // "PATH:LINE: what is wrong"; "": nothing is
};

// Reads one file. If the description is a file name *.xml, the content of that file is used.
SetRule read_set_rule(const std::string& path);

// Validates the rule in the database. Returns its problem, or "". A condition that takes longer
// than five seconds is a problem. Throws pg::Error. REQUIRES: no transaction.
std::string validate_set_rule(pg::Connection& database, const SetRule& rule);

class SetRules {
  public:
    explicit SetRules(std::string directory) : directory_(std::move(directory)) {}

    // Reads and validates all files, in the order of their names; the database validates only those
    // that have changed since the last call. If two files have the same spec, both have a problem.
    // For a file that was written within the last second, returns the previous rule. Throws
    // SetsUnreadable and pg::Error.
    const std::vector<SetRule>& read(pg::Connection& database);

  private:
    const std::string directory_;
    std::vector<SetRule> rules_;
    std::map<std::string, std::string> validated_;  // content of a rule -> problem
};

// Parameters of oai.register_sets() and oai.register_views(): the rules without a problem, as JSON,
// and the names of the others.
std::string rules_json(const std::vector<SetRule>& rules, bool views);
std::vector<std::string> names_with_problems(const std::vector<SetRule>& rules);

}  // namespace oai
