// SPDX-License-Identifier: MIT
// The parts of `oai check`, and the collector of the problems that they find.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "pg/connection.h"

namespace oai::command {

// Prints "oai: PART: what is wrong; what to do [OAI-1601]" to stderr for each line of `what`.
class Findings {
  public:
    void problem(std::string_view part, std::string_view what);
    int problems() const { return problems_; }

  private:
    int problems_ = 0;
};

struct FormatChecks {
    // Stylesheets that are not deployed yet; empty: all of the formats directory.
    std::vector<std::string> files;
    int samples = 100;  // number of records that each is tried with
    // That there are no records to try them with, for a reason that has been said.
    bool is_untried_known = false;
    // As FormatWatchOptions has it.
    std::vector<std::string> trial_command{};
};
// Compiles the stylesheets and tries them as the server does before it uses one
// (format/trial_process.h), each within its limit of time.
// Prints a line to stdout for each that works: number of records and microseconds per record.
void check_formats(const Config& config, const FormatChecks& checks, Findings& findings);

// Judges files of sets (publish/rules.h) before they come into force.
void check_set_files(const Config& config, const std::vector<std::string>& files,
                     Findings& findings);

// Whether the users of the services, which have the names of their roles, can read their files. As
// root; nobody else can find out.
void check_files(const Config& config, const std::string& config_file, Findings& findings);
// Whether the repository answers at its base_url, as harvesters reach it; and what its server says
// of itself over its socket.
void check_server(const Config& config, Findings& findings);
// Whether the publisher runs and gets on: clock, locks, rights. Nothing if its role cannot connect.
void check_publisher(const Config& config, Findings& findings);

// Renders every record of the repository in the formats of these prefixes; none: in all. Prints a
// line to stdout for each that fails; a format with such records is a problem.
void check_records(const Config& config, const std::vector<std::string>& prefixes,
                   Findings& findings);

// Checks the schema version, the columns of oai.record, the horizon, the chunks of all sets. Throws
// pg::Error if the database cannot be reached.
void check_database(const Config& config, Findings& findings);

// For `oai map --check`: prints a line for each place where harvesters see something else than the
// tables hold, "IDENTIFIER<TAB>what is wrong", and returns how many. Holds all in memory.
std::int64_t print_map_differences(pg::Connection& database, const std::string& identifier_prefix);

}  // namespace oai::command
