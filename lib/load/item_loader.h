// SPDX-License-Identifier: MIT
// Loads files into the model library: tells their format, reads them, moves their items slice by slice. Damage costs
// what is damaged; loading a file again changes nothing.
#pragma once

#include <string>
#include <vector>

#include "load/input.h"
#include "load/item_staging.h"
#include "load/progress.h"
#include "load/report.h"
#include "pg/connection.h"

namespace oai::load {

struct ItemLoaderOptions {
    std::vector<std::string> collections;  // names that every item is filed in
    char value_separator = '|';            // between the values of a field of CSV
    int slice_records = 20'000;
};

class ItemLoader {
  public:
    // As ItemStaging's constructor. Damage is told to `progress`, at most 20 of each file.
    ItemLoader(pg::Connection& connection, ItemLoaderOptions options, Progress& progress);

    // Throws std::runtime_error in words when the file holds no such records or cannot be read: slices moved before stay.
    LoadReport load(const std::string& path);

  private:
    ItemLoaderOptions options_;
    ItemStaging staging_;
    Progress& progress_;
};

enum class ItemFormat { xml, csv };
// Consumes nothing. Throws std::runtime_error with words for the administrator.
ItemFormat sniff_items(Input& input);

}  // namespace oai::load
