// SPDX-License-Identifier: MIT
// Bibliographic records in XML, plain or gzip: MARCXML, simple Dublin Core, MODS, and answers to ListRecords and
// GetRecord, one after the other or within one root; told apart record by record. Memory holds one record. Damage
// costs the record that holds it: reading goes on at the next that begins.
#pragma once

#include <string>

#include "load/input.h"
#include "load/item.h"
#include "xml/handle.h"

namespace oai::load {

// Throws std::runtime_error if the file cannot be read any further.
void read_items_xml(Input& input, ItemFindings& findings);

// One <record> of OAI-PMH with its header. Returns what is wrong with it, or "".
std::string read_oai_item(const xmlNode* record, Item& item);
// Of its header, as it stands there; "" if there is none.
std::string identifier_of(const xmlNode* record);

}  // namespace oai::load
