// SPDX-License-Identifier: MIT
// Parsing untrusted or configured XML: no network, no external entities, no DTD, bounded depth (libxml2's 256) and
// size (64 MiB). Thread-safe after initialise().
#pragma once

#include <string>
#include <string_view>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

// Once per process before threads start; calling it again does nothing. Sets what libxml2 and libxslt keep per
// process: parser, extension functions of EXSLT (common, math, sets, strings, dates), error handlers that never
// print, the loader that keeps stylesheets in their directory, and the allocator that enforces their limits.
void initialise();

// Throws Error "name:line: message". A DOCTYPE is refused, and so are all entities but the five predefined.
DocumentHandle parse_file(const std::string& path);
DocumentHandle parse_memory(std::string_view bytes, const std::string& name);
// The same with names interned in `dictionary`, which the document then shares.
DocumentHandle parse_memory(std::string_view bytes, const std::string& name, xmlDict* dictionary);

// Throws Error "path: message".
std::string read_file(const std::string& path);

// {namespace}local of the document element.
std::string root_namespace(const xmlDoc* document);
std::string root_name(const xmlDoc* document);

}  // namespace oai::xml
