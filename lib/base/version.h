// SPDX-License-Identifier: MIT
// Which version of oai-fcgi this is. deploy/version has it, and writes the source.
#pragma once

#include <string>

namespace oai {

std::string version();                               // of the release: "1.0"
std::string source_commit();                         // 12 digits, or "unknown"
std::string version_of(const std::string& program);  // what --version prints

}  // namespace oai
