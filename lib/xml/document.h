// SPDX-License-Identifier: MIT
// Parses XML from untrusted sources and from configuration: no network access, no external
// entities, no DTD, at most 64 MiB long and within the bounds of guard.h. Thread-safe after
// initialise().
#pragma once

#include <libxml/tree.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "xml/handle.h"

namespace oai::xml {

// what() is the message of libxml2 or libxslt, as "file:line: message" where they know the place.
class Error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Must be called once per process before threads start; further calls do nothing. Sets up the
// global state of libxml2 and libxslt (transform/hooks.cpp).
void initialise();

// Throws Error "name:line: message". Refuses a DOCTYPE and other entities than the five.
DocumentHandle parse_file(const std::string& path);
DocumentHandle parse_memory(std::string_view bytes, const std::string& name);

// of_the_document: entities of text that the document itself declares are allowed too, for files
// of the administrator; nothing outside of it is, and the DOCTYPE may not refer to anything.
enum class Entities { predefined, of_the_document };
// As above, but names are interned in `dictionary`, if there is one, which the document keeps.
DocumentHandle parse_memory(std::string_view bytes, const std::string& name, xmlDict* dictionary,
                            Entities entities = Entities::predefined);

// Returns the content of a regular file of at most 64 MiB, which is all that parse_memory() takes.
// Throws Error "path: message".
std::string read_file(const std::string& path);

// Namespace and local name of the document element; "" if it has none.
std::string root_namespace(const xmlDoc* document);
std::string root_name(const xmlDoc* document);

// Builds a source tree node by node as the parser of libxml2 does: names are interned in the
// dictionary of the document, short texts are stored inside their node, and nothing is searched or
// checked again. This takes a third of the time of xmlNewProp and xmlNewText.

// An empty document with a dictionary of its own. Throws std::bad_alloc, as all here.
DocumentHandle new_document();
// The name as the dictionary of the document has it. The functions below REQUIRE names from here.
const xmlChar* intern(xmlDoc* document, std::string_view name);

// Append a node as the last child of `parent`, an element or the document. Values REQUIRE XML text
// (base/text.h), except for markers that are never written to an output.
xmlNode* add_element(xmlNode* parent, const xmlChar* name);
xmlNode* add_text(xmlNode* parent, std::string_view value);
// `last` is the attribute that was added before to this element, nullptr for the first. REQUIRES:
// the element has no attribute of that name yet.
xmlAttr* add_attribute(xmlNode* element, xmlAttr* last, const xmlChar* name,
                       std::string_view value);

// Appends an element with the parsed `content`: any well-formed content of an element (one or more
// elements, or text), with or without an XML declaration, but without a DOCTYPE. Throws Error
// "name:line: message" and then appends nothing.
void add_parsed(xmlNode* parent, const xmlChar* name, std::string_view content);

// Copies the element into a document of its own. The copy declares all prefixes that are declared
// around the element, so that prefixed names in its values keep their meaning.
DocumentHandle document_of(const xmlNode* element);

}  // namespace oai::xml
