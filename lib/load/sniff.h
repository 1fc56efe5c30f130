// SPDX-License-Identifier: MIT
// Which format a file is, by what stands in it. What is no web archive is told apart from what merely is none of ours,
// so that the administrator learns what to do.
#pragma once

#include <string>
#include <string_view>

#include "load/input.h"

namespace oai::load {

enum class FileFormat { arc, warc, cdx, cdxj };

// Consumes blank lines only. Throws std::runtime_error with words for the administrator ("is a WACZ ...: unzip it and ...").
FileFormat sniff(Input& input);

// Archives and compressed files that no loader reads, by their first bytes: throws as sniff() does.
void refuse_foreign(std::string_view head);

}  // namespace oai::load
