// SPDX-License-Identifier: MIT
// Shows what a file for the model library would become, without a database: its columns, its first
// items, the sets it makes, and what is wrong with it.
#pragma once

#include <string>

#include "tools/load/items.h"

namespace oai::load {

// Prints to stdout. Returns whether nothing is damaged and no column unknown. Throws
// std::runtime_error as ItemLoader::load().
bool preview(const std::string& path, const CsvOptions& options, bool keep_deleted_marc);

}  // namespace oai::load
