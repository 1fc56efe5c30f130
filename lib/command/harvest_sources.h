// SPDX-License-Identifier: MIT
// oai harvest NAME... | --all | --due: the repositories of `oai repository add`, into the model library.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace oai::command {

struct SourceChoice {
    std::vector<std::string> names;
    bool all = false;
    bool due = false;   // those whose interval has passed
    bool full = false;  // from the beginning
    std::int64_t most_records = 0;  // of each list; 0: all
};

// Several at a time, those of one host one after the other; SIGTERM and SIGINT end it between two pages. Returns the exit
// status: kFine if all came to their end. Throws ConfigError, pg::Error, std::runtime_error in words.
int harvest_sources(const Config& config, const std::string& config_path, const SourceChoice& choice);

}  // namespace oai::command
