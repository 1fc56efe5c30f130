// SPDX-License-Identifier: MIT
// The parts of `oai check` and where they put what they find.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "store.h"

namespace oai::command {

// Prints each problem at once, as a line "oai: PART: what is wrong; what to do" of stderr for every line of
// `what`.
class Findings {
  public:
    void problem(std::string_view part, std::string_view what);
    int problems() const { return problems_; }

  private:
    int problems_ = 0;
};

struct FormatChecks {
    std::vector<std::string> files;  // stylesheets not yet deployed; empty: all of the formats directory
    int samples = 100;               // records that each is tried over
};
// Compiles the stylesheets and tries them as the server does before it takes one (format_trial.h); a line of stdout
// for each that works: what it was tried over and microseconds a record.
void check_formats(const Config& config, const FormatChecks& checks, Findings& findings);

struct RecordChecks {
    std::vector<std::string> prefixes;  // of formats; empty: all
    bool exclude = false;               // write what is found to oai.excluded, by [publisher] connection
};
// Makes every record of the repository in every format; a line of stdout for each that cannot be, a problem for each
// format that has such records and does not exclude them.
void check_records(const Config& config, const RecordChecks& checks, Findings& findings);

// The reader's connection, for one thread.
StoreOptions store_options(const Config& config);

// Schema version, the contract of oai.record, the horizon, the chunks of all sets. Throws pg::Error when the
// database cannot be reached.
void check_database(const Config& config, Findings& findings);

}  // namespace oai::command
