// SPDX-License-Identifier: MIT
// What kind of thing a record describes, for the icon and the word beside its title. Pure.
#pragma once

#include <libxml/tree.h>

#include <string_view>

namespace oai {

// "page", "image", "pdf", "text", "audio", "video", "data", "software", "package", "book",
// "journal", "article", "thesis", "map", "manuscript", "music", or "item" if the metadata does not
// say. It is taken from the elements type, genre and format below the first element of `metadata`:
// a word for a kind of publication counts first, then a media type, then the terms of the DCMI
// Type Vocabulary. Looks at the first 100 of them.
std::string_view kind_of(const xmlNode* metadata);
// The same by a type alone, such as "thesis:master".
std::string_view kind_of_type(std::string_view type);

}  // namespace oai
