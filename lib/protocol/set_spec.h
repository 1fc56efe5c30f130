// SPDX-License-Identifier: MIT
// The syntax of a setSpec (OAI-PMH 2.0, 2.6, and setSpecType of OAI-PMH.xsd): labels of
// A-Za-z0-9-_.!~*'() joined by ':'.
#pragma once

#include <string>
#include <string_view>

namespace oai {

bool is_set_spec(std::string_view s);

// Whether the text is one label, which is not empty and has no ':'.
bool is_label(std::string_view s);

// metadataPrefixType of OAI-PMH.xsd, which has the alphabet of a label.
inline bool is_metadata_prefix(std::string_view s) { return is_label(s); }

// Makes a label from any bytes: '~' and each byte that a setSpec does not allow are written as ~HH
// with upper-case digits, so different bytes give different labels. "svg+xml" becomes "svg~2Bxml".
// The empty string stays empty and is not a label.
std::string set_label(std::string_view bytes);

// "dom:ee" for "dom:ee:etv24"; "" for a set without a parent.
std::string_view parent_spec(std::string_view spec);

}  // namespace oai
