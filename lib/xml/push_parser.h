// SPDX-License-Identifier: MIT
// Parsing a document piece by piece, for files larger than memory: the caller feeds bytes, looks at the tree that is
// growing, and takes out of it what is complete. Errors are those of the piece that was fed last. As careful as document.h: no DOCTYPE, no entities of its own, no network. Not thread-safe.
#pragma once

#include <libxml/tree.h>

#include <memory>
#include <string>
#include <string_view>

#include "xml/error.h"

namespace oai::xml {

class PushParser {
  public:
    PushParser();
    ~PushParser();
    PushParser(PushParser&&) noexcept;
    PushParser& operator=(PushParser&&) noexcept;

    // Throws Error with the message alone; the tree then is as it was at the error. Feed it nothing more. whole: the
    // bytes end with a tag, so it is an error if the parser then still waits for something.
    void feed(std::string_view bytes, bool whole);
    int error_line() const;    // of the last error, in what this parser was fed
    xmlNode* open() const;     // the innermost element that has begun and not ended; nullptr: none
    xmlNode* root() const;     // nullptr: not begun
    bool ended() const { return root() != nullptr && open() == nullptr; }
    const char* encoding() const;  // as declared; "UTF-8" without declaration

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Text within the node, its descendants' too, blanks at both ends taken off.
std::string text_of(const xmlNode* node);
// "" where it is absent. Of attributes without namespace.
std::string attribute_of(const xmlNode* element, const char* name);
// xml:lang of the element or of the nearest ancestor that has one; "" none.
std::string language_of(const xmlNode* element);
// "" where the element has no namespace.
std::string_view namespace_of(const xmlNode* element);
std::string_view name_of(const xmlNode* element);
bool is_element(const xmlNode* node);
// The tag that began it, with all its namespace declarations and nothing else.
std::string start_tag(const xmlNode* element);
// Line in the document; beyond 65,535 it may be the next one (libxml2 counts by the text within).
long line_of(const xmlNode* element);
// The element as a document of its own: namespaces declared above it are declared on it. Elements without a namespace
// get `default_namespace`, if one is given.
std::string document_text(const xmlNode* element, const char* default_namespace = nullptr);
// Frees the node and all before it among its siblings.
void drop_up_to(xmlNode* node);

}  // namespace oai::xml
