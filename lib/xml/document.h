// SPDX-License-Identifier: MIT
// Parsing untrusted or configured XML: no network, no external entities, no DTD loading, bounded depth and size.
#pragma once

#include <string>
#include <string_view>

#include "xml/handle.h"

namespace oai::xml {

// Once per process before threads start: xmlInitParser, error handlers that never print, security defaults.
void initialise();

// Throws Error "name:line: message". Entities other than the five predefined are refused.
DocumentHandle parse_file(const std::string& path);
DocumentHandle parse_memory(std::string_view bytes, const std::string& name);

// {namespace}local of the document element.
std::string root_namespace(const xmlDoc* document);
std::string root_name(const xmlDoc* document);

}  // namespace oai::xml
