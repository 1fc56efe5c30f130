// SPDX-License-Identifier: MIT
// The parts of `oai check` and where they put what they find.
#pragma once

#include <string_view>

#include "base/config.h"

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

// Schema version, the contract of oai.record, the horizon, the chunks of all sets. Throws pg::Error when the
// database cannot be reached.
void check_database(const Config& config, Findings& findings);

}  // namespace oai::command
