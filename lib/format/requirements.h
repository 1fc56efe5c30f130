// SPDX-License-Identifier: MIT
// What the formats of a directory require of a record, for the publisher, which keeps lists of the
// items that have it. Reads the descriptions alone: no stylesheet is compiled or run. Not
// thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fd.h"

namespace oai {

class FormatRequirements {
  public:
    explicit FormatRequirements(std::string directory) : directory_(std::move(directory)) {}

    // For each format that requires columns, their names; sorted, each once. Reads only files that
    // have changed since the last call. A file that cannot be read now, or is not well-formed,
    // counts as it was before: servers go on with the version before, too. Throws Fault if the
    // directory cannot be read.
    std::vector<std::vector<std::string>> read();

  private:
    struct File {
        FileStamp stamp;
        std::vector<std::string> columns;
    };
    const std::string directory_;
    std::map<std::string, File> files_;
};

}  // namespace oai
