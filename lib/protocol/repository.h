// SPDX-License-Identifier: MIT
// The description of the repository for Identify, and the settings that the verbs use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "xml/document.h"

namespace oai {

// The content of <description> of Identify (OAI-PMH 2.0, 4.2) and of <setDescription> (4.6): one
// element in a namespace of its own. Thread-safe after xml::initialise().

// Returns the root element of the file. Throws xml::Error "file:line: message" if the file is not
// well-formed, or its root has no namespace or that of OAI-PMH (OAI-PMH.xsd: ##other).
std::string description_in_file(const std::string& path);

// Returns the element for a set, given the value of oai.set.description: that element, or, if the
// value is plain text, Dublin Core with the text as dc:description. Returns "" if there are only
// blanks. Throws xml::Error "set SPEC:line: message", as above.
std::string set_description(std::string_view content, std::string_view spec);

struct Repository {
    Config::Repository facts;
    Config::Lists lists;
    Config::Formats formats;
    // XML elements, each the content of a <description>; oai-identifier comes first. The gateway of
    // a static repository has none, since identifiers are not its own, and no sets, since a static
    // repository has none (specification for static repositories, 2 and 4).
    std::vector<std::string> descriptions;
    std::string identifier_prefix;  // "oai:<namespace>:"
};

// Throws ConfigError with one line "file:line: message" for each faulty description file.
Repository make_repository(const Config& config);

}  // namespace oai
