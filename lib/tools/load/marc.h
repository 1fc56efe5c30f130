// SPDX-License-Identifier: MIT
// Turns a MARC 21 record in XML (the Library of Congress's MARC21 slim) into an Item: the fifteen
// elements by the Library of Congress's crosswalk from MARC to unqualified Dublin Core, and the
// record itself as payload.
#pragma once

#include "tools/load/item.h"
#include "xml/handle.h"

namespace oai::load {

constexpr const char* kMarcNamespace = "http://www.loc.gov/MARC21/slim";

// Adds to `item` what the element <record> says. local_id, if it is still empty, becomes the
// control number (field 001).
void read_marc(const xmlNode* record, Item& item);

}  // namespace oai::load
