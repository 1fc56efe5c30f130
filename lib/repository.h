// SPDX-License-Identifier: MIT
// What Identify says of the repository, and the policies the verbs follow. Built once from the configuration.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace oai {

struct Repository {
    Config::Repository facts;
    Config::Lists lists;
    Config::Formats formats;
    std::vector<std::string> descriptions;  // XML elements, ready to be put into <description>; oai-identifier first
    std::string identifier_prefix;          // "oai:<namespace>:"
};

// Reads the description files (each one well-formed XML element; a comment or declaration before it is dropped)
// and builds the oai-identifier description with a sample identifier. Throws ConfigError,
// "file:line: message" for each file at fault, one a line.
Repository make_repository(const Config& config);

}  // namespace oai
