// SPDX-License-Identifier: MIT
// Turns XML records other than MARC into Items: simple Dublin Core in any wrapper, with the usual
// refinements of the DCMI terms taken as the element that they refine; MODS as payload, with those
// of its values that have an element in Dublin Core.
#pragma once

#include "tools/load/item.h"
#include "xml/handle.h"

namespace oai::load {

constexpr const char* kModsNamespace = "http://www.loc.gov/mods/v3";

// Adds the children of `parent` that are elements of Dublin Core. Returns how many there were.
int read_dublin_core(const xmlNode* parent, Item& item);
// Adds what the element <mods> says.
void read_mods(const xmlNode* mods, Item& item);

}  // namespace oai::load
