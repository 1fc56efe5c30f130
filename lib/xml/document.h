// SPDX-License-Identifier: MIT
// Parses XML from untrusted sources and from configuration: no network access, no external
// entities, no DTD, at most 256 levels deep (the limit of libxml2) and 64 MiB long. Thread-safe
// after initialise().
#pragma once

#include <string>
#include <string_view>

#include "xml/error.h"
#include "xml/handle.h"

namespace oai::xml {

// Must be called once per process before threads start; further calls do nothing. Sets up the
// global state of libxml2 and libxslt: the parser, the EXSLT extension functions (common, math,
// sets, strings, dates), error handlers that never print, the loader that keeps stylesheets within
// their directory, and the allocator that enforces their memory limits.
void initialise();

// Throws Error "name:line: message". Refuses a DOCTYPE, and every entity except the five predefined
// ones.
DocumentHandle parse_file(const std::string& path);
DocumentHandle parse_memory(std::string_view bytes, const std::string& name);

// of_the_document: entities of text that the document itself declares are allowed too, for files
// of the administrator; nothing outside of it is, and the DOCTYPE may not refer to anything.
enum class Entities { predefined, of_the_document };
// As above, but names are interned in `dictionary`, unless it is nullptr, and the document keeps a
// reference to it.
DocumentHandle parse_memory(std::string_view bytes, const std::string& name, xmlDict* dictionary,
                            Entities entities = Entities::predefined);

// Returns the content of the file, read no further than somewhat beyond 64 MiB, which
// parse_memory() refuses. Throws Error "path: message".
std::string read_file(const std::string& path);

// Namespace and local name of the document element; "" if it has none.
std::string root_namespace(const xmlDoc* document);
std::string root_name(const xmlDoc* document);

}  // namespace oai::xml
