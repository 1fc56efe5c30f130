// SPDX-License-Identifier: MIT
// Records in XML other than MARC as Items: simple Dublin Core in any wrapper, with the usual refinements of the DCMI
// terms taken as the element that they refine; MODS as payload with what of it is Dublin Core.
#pragma once

#include "load/item.h"
#include "xml/handle.h"

namespace oai::load {

constexpr const char* kModsNamespace = "http://www.loc.gov/mods/v3";

// Adds the children of `parent` that are elements of Dublin Core; how many there were.
int read_dublin_core(const xmlNode* parent, Item& item);
void read_mods(const xmlNode* mods, Item& item);

}  // namespace oai::load
