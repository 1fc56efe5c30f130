// SPDX-License-Identifier: MIT
// What an item says of itself, as columns of a row for COPY, whichever table it goes to.
#pragma once

#include "pg/copy_writer.h"
#include "tools/load/item.h"

namespace oai::load {

// In the order of the content in item_queries.h: kind, the elements, ..., origin.
void add_content(pg::CopyWriter& row, const Item& item);

}  // namespace oai::load
