// SPDX-License-Identifier: MIT
// The parts of `oai check`, and the collector of the problems that they find.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "pg/connection.h"

namespace oai::command {

// Prints "oai: PART: what is wrong; what to do [OAI-1601]" to stderr for each line of `what` that
// has not been printed already.
class Findings {
  public:
    void problem(std::string_view part, std::string_view what);
    std::size_t problems() const { return printed_.size(); }

  private:
    std::set<std::string> printed_;
};

struct FormatChecks {
    // Stylesheets that are not deployed yet; empty: all of the formats directory.
    std::vector<std::string> files;
    int samples = 100;  // number of records that each is tried with
    // Whether the reason why there are no records for a trial has been printed already.
    bool is_untried_known = false;
    // As in FormatWatchOptions.
    std::vector<std::string> trial_command{};
};
// Compiles the stylesheets and tries them as the server does before it uses one
// (format/trial_process.h), each within its limit of time. Prints a line to stdout for each valid
// one, with the number of records and microseconds per record.
void check_formats(const Config& config, const FormatChecks& checks, Findings& findings);

// Validates files of sets (publish/rules.h) before they are used.
void check_set_files(const Config& config, const std::vector<std::string>& files,
                     Findings& findings);

// Checks whether the users of the services, which have the names of their roles, can read their
// files. Only root can check this.
void check_files(const Config& config, const std::string& config_file, Findings& findings);
// Checks whether the repository responds at its base_url, and reports the problems on the server's
// own status page, which is read over its socket.
void check_server(const Config& config, Findings& findings);
// Checks whether the publisher runs and is not blocked by clock, locks or missing rights. Does
// nothing if its role cannot connect.
void check_publisher(const Config& config, Findings& findings);

// Renders every record of the repository in the formats of these prefixes; none: in all. Prints a
// line to stdout for each that fails; a format with such records is a problem.
void check_records(const Config& config, const std::vector<std::string>& prefixes,
                   Findings& findings);

// Checks the schema version, the columns of oai.record, the horizon, the chunks of all sets. Throws
// pg::Error if the database cannot be reached.
void check_database(const Config& config, Findings& findings);

// For `oai map --check`: prints a line "IDENTIFIER<TAB>problem" for each difference between the
// mapped tables and what harvesters see, and returns their number. Holds everything in memory.
std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix);

}  // namespace oai::command
