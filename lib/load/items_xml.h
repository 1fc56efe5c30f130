// SPDX-License-Identifier: MIT
// Bibliographic records in XML, plain or gzip: MARCXML, simple Dublin Core, MODS, and answers to ListRecords and
// GetRecord, one after the other or within one root; told apart record by record. Memory holds one record. Damage
// costs the record that holds it: reading goes on at the next that begins.
#pragma once

#include "load/input.h"
#include "load/item.h"

namespace oai::load {

// Throws std::runtime_error if the file cannot be read any further.
void read_items_xml(Input& input, ItemFindings& findings);

}  // namespace oai::load
