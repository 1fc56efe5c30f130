// SPDX-License-Identifier: MIT
// Parses a document in chunks, for files larger than memory: the caller feeds bytes, inspects the
// growing tree and removes the parts that are complete. feed() reports the errors of the chunk that
// it was given. Like document.h it refuses a DOCTYPE and entities declared by the document, and
// never uses the network. Not thread-safe.
#pragma once

#include <libxml/tree.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "xml/document.h"

namespace oai::xml {

class PushParser {
  public:
    PushParser();
    ~PushParser();
    PushParser(PushParser&&) noexcept;
    PushParser& operator=(PushParser&&) noexcept;

    // Throws Error with the message alone. The tree then remains as it was at the error, and
    // nothing more may be fed. whole: the bytes end with a complete tag, so input that the parser
    // has not consumed by then is an error.
    void feed(std::string_view bytes, bool whole);
    // Frees the node and all of its preceding siblings.
    void drop_up_to(xmlNode* node);
    int error_line() const;  // line of the error, counted from the first byte that was fed
    xmlNode* open() const;   // the innermost element whose end tag has not been read; nullptr: none
    xmlNode* root() const;   // nullptr: its start tag has not been read
    bool ended() const { return root() != nullptr && open() == nullptr; }
    const char* encoding() const;  // as declared; "UTF-8" if not declared

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// The child elements, in document order: all, or those of this local name. REQUIRES: not nullptr.
std::vector<const xmlNode*> children_of(const xmlNode* parent, std::string_view name = "");
// The first of them; nullptr if there is none.
const xmlNode* child_of(const xmlNode* parent, std::string_view name = "");
// Its text_of(); "" if there is none.
std::string child_text(const xmlNode* parent, std::string_view name);
// The text of the node and its descendants, without white space at either end.
std::string text_of(const xmlNode* node);
// The xml:lang of the element or of its nearest ancestor that has one; "" if none has.
std::string language_of(const xmlNode* element);
// Returns "" if the element has no namespace.
std::string_view namespace_of(const xmlNode* element);
std::string_view name_of(const xmlNode* element);
bool is_element(const xmlNode* node);
// The start tag of the element with all of its own namespace declarations, but without attributes.
std::string start_tag(const xmlNode* element);
// The line of the element in the document. Beyond line 65,535 it may be one too high, since libxml2
// then takes the line of the text inside.
long line_of(const xmlNode* element);
// Serialises the element as a document of its own: it declares the namespaces that its names use
// and its ancestors declare, and those whose prefixes its attributes' values begin with, as in
// xsi:type="dcterms:W3CDTF". Elements without a namespace get `default_namespace` if the element is
// one of them and one is given.
std::string document_text(const xmlNode* element, const char* default_namespace = nullptr);
}  // namespace oai::xml
