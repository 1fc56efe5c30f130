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

// Turns XML records other than MARC into Items: simple Dublin Core in any wrapper, with the usual
// refinements of the DCMI terms taken as the element that they refine; MODS as payload, with those
// of its values that have an element in Dublin Core.

constexpr const char* kModsNamespace = "http://www.loc.gov/mods/v3";

// Adds the children of `parent` that are elements of Dublin Core. Returns how many there were.
int read_dublin_core(const xmlNode* parent, Item& item);
// Adds what the element <mods> says.
void read_mods(const xmlNode* mods, Item& item);

}  // namespace oai::load
