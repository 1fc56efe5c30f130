// SPDX-License-Identifier: MIT
// A harvested record of oai_dc as an item of the model library, by the same reading as a file that is loaded. Knows no
// database.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/source.h"
#include "load/item.h"
#include "xml/handle.h"

namespace oai::aggregate {

// The local_id that a record of this source gets: "" if its identifier is too long.
std::string our_local_id(const Source& source, std::string_view identifier);    // NAME/THEIRS
std::string their_local_id(std::string_view identifier);                        // :THEIRS

// Names of the collections for their setSpecs: below NAME, or NAME itself where there are none.
std::vector<std::string> collections_of(const Source& source, std::span<const std::string> set_specs);
// The collections and all above them, each once, those above first.
std::vector<std::string> with_ancestors(const std::vector<std::string>& collections);

// Fills in the elements and all that follows from them. Returns whether the oai_dc that this repository makes of the item
// says just what the document says: all its elements with their texts and languages, in each element's order but for
// dc:identifier, and nothing else.
bool describe(const xmlDoc* oai_dc, load::Item& item);

}  // namespace oai::aggregate
