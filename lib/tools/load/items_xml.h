// SPDX-License-Identifier: MIT
// Reads bibliographic records from XML, plain or gzip: MARCXML, simple Dublin Core, MODS, and
// answers to ListRecords and GetRecord, one after the other or within one root; each record's
// format is found out by itself. Memory holds one record. A damaged record is left out and
// reported, and reading goes on where the next one begins.
#pragma once

#include <string>

#include "tools/load/input.h"
#include "tools/load/item.h"
#include "xml/handle.h"

namespace oai::load {

// Throws std::runtime_error if the file cannot be read any further.
void read_items_xml(Input& input, ItemHandler& handler);

// Fills in the item from one <record> of OAI-PMH with its header. Returns what is wrong with the
// record, or "".
std::string read_oai_item(const xmlNode* record, Item& item);
// The identifier in the record's header, as it stands there; "" if there is none.
std::string identifier_of(const xmlNode* record);

}  // namespace oai::load
