// SPDX-License-Identifier: MIT
// The description of the repository for Identify, and the settings that the verbs use. Built once
// from the configuration.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace oai {

struct Repository {
    Config::Repository facts;
    Config::Lists lists;
    Config::Formats formats;
    // XML elements, each the content of a <description>; oai-identifier comes first.
    std::vector<std::string> descriptions;
    std::string identifier_prefix;  // "oai:<namespace>:"
};

// Reads the description files, each of which is one XML element, and builds the oai-identifier
// description with a sample identifier. Throws ConfigError with one line "file:line: message" for
// each faulty file.
Repository make_repository(const Config& config);

}  // namespace oai
