// SPDX-License-Identifier: MIT
// setSpec syntax (OAI-PMH 2.0, 2.6 and OAI-PMH.xsd setSpecType): labels of A-Za-z0-9-_.!~*'() joined by ':'.
#pragma once

#include <string>
#include <string_view>

namespace oai {

bool is_set_spec(std::string_view s);

// One label: not empty, no ':'. A metadataPrefix has the same alphabet (OAI-PMH.xsd metadataPrefixType).
bool is_label(std::string_view s);

// A label from any bytes: what setSpec does not allow, and '~' itself, is written ~HH (upper-case hex).
// Different bytes give different labels.
// "svg+xml" -> "svg~2Bxml". The empty string stays empty (the caller must not use it as a label).
std::string set_label(std::string_view bytes);

// "dom:ee:etv24" -> "dom:ee"; a root has none: "".
std::string_view parent_spec(std::string_view spec);

}  // namespace oai
