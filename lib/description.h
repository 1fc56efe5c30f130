// SPDX-License-Identifier: MIT
// What <description> of Identify (OAI-PMH 2.0, 4.2) and <setDescription> (4.6) hold: one element in a namespace of its
// own. Thread-safe after xml::initialise().
#pragma once

#include <string>
#include <string_view>

#include "xml/error.h"

namespace oai {

// The document element of the file, without what stands before and behind it. Throws xml::Error "file:line: message":
// not well-formed; no namespace, or that of OAI-PMH itself, which OAI-PMH.xsd (##other) does not allow.
std::string description_in_file(const std::string& path);

// The element for a set from oai.set.description: itself; or, if that is text alone, Dublin Core with that description.
// "" for blanks. Throws xml::Error "set SPEC:line: message", as above.
std::string set_description(std::string_view content, std::string_view spec);

}  // namespace oai
