// SPDX-License-Identifier: MIT
// Turns a harvested record of oai_dc into an item of the model library, as loading a file does.
// Knows no database.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aggregate/source.h"
#include "tools/load/item.h"
#include "xml/handle.h"

namespace oai::aggregate {

// The local_id that a record of this source gets; "" if its identifier is too long.
std::string our_local_id(const Source& source, std::string_view identifier);  // NAME/THEIRS
std::string their_local_id(std::string_view identifier);                      // :THEIRS

// Names of the collections for the source's setSpecs: below the source's NAME, or NAME itself if
// there are none.
std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs);
// The collections and their ancestors, each once, ancestors first.
std::vector<std::string> with_ancestors(const std::vector<std::string>& collections);

// Fills in the elements and all that follows from them. Returns whether the oai_dc that this
// repository serves for the item says exactly what the document says: all its elements with their
// texts and languages, and nothing else, in the same order but for dc:identifier.
bool describe(const xmlDoc* oai_dc, load::Item& item);

}  // namespace oai::aggregate
