// SPDX-License-Identifier: MIT
// Loads files into the model library: finds out their format, reads them, writes their items slice
// by slice. Damage costs what is damaged; loading a file again changes nothing.
#pragma once

#include <string>
#include <vector>

#include "pg/connection.h"
#include "tools/load/input.h"
#include "tools/load/item_staging.h"
#include "tools/load/progress.h"
#include "tools/load/report.h"

namespace oai::load {

struct ItemLoaderOptions {
    std::vector<std::string> collections;  // names that every item is filed in
    char value_separator = '|';            // between the values of a field of CSV
    int slice_records = 20'000;
};

class ItemLoader {
  public:
    // Throws as ItemStaging's constructor. Damage is printed by `progress`, at most 20 of each
    // file.
    ItemLoader(pg::Connection& connection, ItemLoaderOptions options, Progress& progress);

    // Throws std::runtime_error in words when the file holds no such records or cannot be read;
    // slices that were written before stay.
    LoadReport load(const std::string& path);

  private:
    char value_separator_;
    int slice_records_;
    ItemStaging staging_;
    Progress& progress_;
};

enum class ItemFormat { xml, csv };
// Consumes nothing. Throws std::runtime_error with words for the administrator.
ItemFormat sniff_items(Input& input);

}  // namespace oai::load
